// SPDX-License-Identifier: Apache-2.0
// A debugger's reads and writes of registers and memory.
#include "platform/observe/debug/debugger.hpp"
#include "platform/observe/debug/registers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace levee::debug {

namespace {

constexpr std::uint32_t word_bytes = 4;

} // namespace

std::optional<std::uint32_t> Debugger::read_register(std::uint32_t index)
{
    riscv::Hart& hart = core_.hart();
    if (index < register_pc)
        return hart.reg(index);
    if (index == register_pc)
        return hart.pc();
    if (index >= register_first_csr && index < register_first_csr + csr_count)
        return hart.read_csr(index - register_first_csr);
    return std::nullopt;
}

bool Debugger::write_register(std::uint32_t index, std::uint32_t value)
{
    riscv::Hart& hart = core_.hart();
    if (index < register_pc)
        hart.set_reg(index, value);
    else if (index == register_pc)
        hart.set_pc(value);
    else if (index < register_first_csr || index >= register_first_csr + csr_count ||
             !hart.write_csr(index - register_first_csr, value))
        return false;
    changed();
    return true;
}

void Debugger::changed()
{
    ++interventions_.by_debugger;
    travel_.changed();
}

std::size_t Debugger::read_memory(std::uint32_t address, std::span<std::uint8_t> data)
{
    std::size_t done = 0;
    while (done < data.size()) {
        const auto at = static_cast<std::uint32_t>(address + done);
        const auto rest = data.subspan(done);
        std::size_t got = core_.debug_read(at, rest);
        if (got == 0)
            got = read_word_part(at, rest);
        if (got == 0)
            break;
        done += got;
    }
    return done;
}

/// Reads a part of a register. Registers can only be read as whole words, but a debugger may ask
/// for any part.
std::size_t Debugger::read_word_part(std::uint32_t address, std::span<std::uint8_t> data)
{
    std::array<std::uint8_t, word_bytes> word{};
    const std::uint32_t skip = address % word_bytes;
    if (core_.debug_read(address - skip, word) != word_bytes)
        return 0;
    const std::size_t bytes = std::min<std::size_t>(word_bytes - skip, data.size());
    std::copy_n(word.begin() + skip, bytes, data.begin());
    return bytes;
}

std::vector<Target::Region> Debugger::regions() const
{
    constexpr std::uint64_t space = std::uint64_t{1} << 32; // the size of the core's address space
    std::vector<Region> all;
    for (const bus::Mapping& window : machine_.system().bus().mappings())
        if (window.base < space)
            all.push_back({static_cast<std::uint32_t>(window.base),
                           std::min(window.size, space - window.base)});
    std::ranges::sort(all, {}, &Region::address);
    return all;
}

std::optional<bool> Debugger::poke_register(std::uint32_t address,
                                            std::span<const std::uint8_t> data)
{
    for (const MachineView::Registers& owner : machine_.register_files()) {
        for (const Register& reg : owner.file->registers()) {
            if (address < owner.base || address - owner.base != reg.offset)
                continue;
            // GDB does not show why a write is refused, so the reason is printed on the
            // terminal.
            if (!reg.write || data.size() != owner.file->width()) {
                warn_on_terminal(owner.owner + "." + reg.name +
                                 (reg.write ? " is written as a whole, " +
                                                  std::to_string(owner.file->width()) + " bytes"
                                            : " is read-only"));
                return false;
            }
            std::uint32_t value = 0;
            std::memcpy(&value, data.data(), data.size());
            reg.write(value);
            return true;
        }
    }
    return std::nullopt;
}

bool Debugger::write_memory(std::uint32_t address, std::span<const std::uint8_t> data)
{
    if (const auto done = poke_register(address, data)) {
        if (*done)
            changed();
        return *done;
    }
    std::vector<std::uint8_t> there(data.size());
    if (read_memory(address, there) != data.size())
        return false;
    std::size_t done = 0;
    while (done < data.size()) {
        const std::size_t written =
            core_.debug_write(static_cast<std::uint32_t>(address + done), data.subspan(done));
        if (written == 0)
            return false;
        done += written;
    }
    program_.wrote(address, data.size());
    changed();
    return true;
}

} // namespace levee::debug
