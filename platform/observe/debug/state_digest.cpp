// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/state_digest.hpp"

#include "ip/common/storage.hpp"
#include "ip/common/written_pages.hpp"
#include "platform/observe/debug/registers.hpp"

#include <array>
#include <cstring>
#include <set>
#include <span>

namespace levee::debug {

namespace {

/// FNV-1a over words of 64 bits, with a rotation that lets high bits come down.
class Hash {
public:
    void add(std::uint64_t word)
    {
        value_ = (value_ ^ word) * 0x100000001B3ull;
        value_ = value_ << 29 | value_ >> 35;
    }
    void add(std::span<const std::uint8_t> bytes)
    {
        add(bytes.size());
        std::uint64_t word = 0;
        for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
            std::memcpy(&word, bytes.data(), sizeof word);
            add(word);
        }
        word = 0;
        for (const std::uint8_t byte : bytes)
            word = word << 8 | byte;
        add(word);
    }
    void add(const std::string& text)
    {
        add(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xCBF29CE484222325ull;
};

std::uint64_t core_digest(riscv::Core& core)
{
    Hash hash;
    riscv::Hart& hart = core.hart();
    for (unsigned i = 1; i < 32; ++i)
        hash.add(hart.reg(i));
    hash.add(hart.pc());
    hash.add(hart.sleeping());
    for (const NamedCsr& csr : csr_names())
        hash.add(hart.read_csr(csr.number).value_or(0));
    hash.add(core.cycles());
    hash.add(core.instructions());
    return hash.value();
}

void add_registers(Hash& hash, const RegisterFile& file)
{
    for (const Register& reg : file.registers())
        if (reg.read) {
            hash.add(reg.offset);
            hash.add(reg.value());
        }
}

void add_queue(Hash& hash, const QueueView& view)
{
    for (const CommandQueue::Queued& queued : view.queue().queued()) {
        hash.add(queued.id);
        hash.add(queued.address);
    }
    hash.add(view.executing());
    hash.add(view.running());
    if (const auto& descriptor = view.descriptor()) {
        std::array<std::uint8_t, sizeof *descriptor> bytes{};
        std::memcpy(bytes.data(), &*descriptor, bytes.size());
        hash.add(bytes);
    }
}

void add_figures(Hash& hash, const Component& component)
{
    Stats stats;
    component.report(stats);
    for (const auto& [name, value] : stats.figures()) {
        hash.add(name);
        std::uint64_t bits = 0;
        if (const auto* count = std::get_if<std::uint64_t>(&value))
            bits = *count;
        else
            std::memcpy(&bits, &std::get<double>(value), sizeof bits);
        hash.add(bits);
    }
}

/// Pages without a bit set are those that nobody has written: they do not count.
void add_storage(Hash& hash, Storage& storage)
{
    visit_written_pages(storage, [&hash](std::uint64_t offset, std::span<const std::uint8_t> page) {
        Hash own;
        std::uint64_t any = 0;
        std::uint64_t word = 0;
        for (std::size_t at = 0; at + sizeof word <= page.size(); at += sizeof word) {
            std::memcpy(&word, page.data() + at, sizeof word);
            any |= word;
            own.add(word);
        }
        if (any == 0)
            return;
        hash.add(offset);
        hash.add(own.value());
    });
}

} // namespace

StateDigest digest_of(const MachineView& machine)
{
    StateDigest digest;
    digest["core"] = core_digest(machine.system().core());
    for (const System::Peripheral& peripheral : machine.system().peripherals()) {
        Hash hash;
        add_registers(hash, *peripheral.registers);
        digest[peripheral.name] = hash.value();
    }
    for (std::size_t i = 0; i < machine.plan().components.size(); ++i) {
        const Component& component = machine.system().components()[i];
        Hash hash;
        if (component.register_file != nullptr)
            add_registers(hash, *component.register_file);
        if (const QueueView* const queue = machine.queue(i))
            add_queue(hash, *queue);
        if (component.report)
            add_figures(hash, component);
        if (component.bytes != nullptr)
            add_storage(hash, *component.bytes);
        digest[machine.plan().components[i].name] = hash.value();
    }
    return digest;
}

std::vector<std::string> differences(const StateDigest& one, const StateDigest& other)
{
    std::set<std::string> names;
    const auto compare = [&names](const StateDigest& a, const StateDigest& b) {
        for (const auto& [name, value] : a) {
            const auto there = b.find(name);
            if (there == b.end() || there->second != value)
                names.insert(name);
        }
    };
    compare(one, other);
    compare(other, one);
    return {names.begin(), names.end()};
}

} // namespace levee::debug
