// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/state_digest.hpp"

#include "core/memory/storage.hpp"
#include "core/memory/written_pages.hpp"
#include "platform/observe/debug/registers.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee::debug {

namespace {

class Hash {
public:
    Hash() { XXH3_64bits_reset(&state_); }
    void add(std::uint64_t word) { XXH3_64bits_update(&state_, &word, sizeof word); }
    void add(std::span<const std::uint8_t> bytes)
    {
        add(bytes.size());
        XXH3_64bits_update(&state_, bytes.data(), bytes.size());
    }
    void add(const std::string& text)
    {
        add(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    }
    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

private:
    XXH3_state_t state_;
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
    for (const Submissions::Pending& queued : view.queue().queued()) {
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

/// Pages that contain only zeros count as unwritten and are skipped.
void add_storage(Hash& hash, Storage& storage)
{
    visit_written_pages(storage, [&hash](std::uint64_t offset, std::span<const std::uint8_t> page) {
        if (std::ranges::all_of(page, [](std::uint8_t byte) { return byte == 0; }))
            return;
        hash.add(offset);
        hash.add(page);
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
