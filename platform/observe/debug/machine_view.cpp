// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/machine_view.hpp"

#include "core/abi/descriptor.h"
#include "platform/observe/trace/timeline_writer.hpp"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace levee::debug {

std::string format(const char* pattern, ...)
{
    std::string text(128, '\0');
    va_list values, again;
    va_start(values, pattern);
    va_copy(again, values);
    const auto length =
        static_cast<std::size_t>(std::vsnprintf(text.data(), text.size(), pattern, values));
    const bool fits = length < text.size();
    text.resize(length);
    if (!fits) // the text may be longer than the buffer, since names can have any length
        std::vsnprintf(text.data(), length + 1, pattern, again);
    va_end(again);
    va_end(values);
    return text;
}

std::string microseconds(Picoseconds ps)
{
    return trace::microseconds(ps) + " us";
}

MachineView::MachineView(System& system, const SystemPlan& plan, const ElfImage& program)
    : system_(system), plan_(plan), program_(&program), symbols_(program.symbols)
{
    for (Component& component : system_.components())
        queues_.push_back(component.queue != nullptr
                              ? std::make_unique<QueueView>(*component.queue, system_.core().hart())
                              : nullptr);
}

std::optional<std::size_t> MachineView::find(const std::string& component) const
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i)
        if (plan_.components[i].name == component)
            return i;
    return std::nullopt;
}

const Component* MachineView::sync() const
{
    for (const Component& component : system_.components())
        if (component.counters != nullptr)
            return &component;
    return nullptr;
}

std::optional<std::uint32_t> MachineView::counter(std::uint32_t index) const
{
    const Component* const unit = sync();
    if (unit == nullptr || !unit->counters->has(index))
        return std::nullopt;
    return unit->counters->value(index);
}

std::vector<MachineView::Registers> MachineView::register_files() const
{
    std::vector<Registers> all;
    for (std::size_t i = 0; i < plan_.components.size(); ++i)
        if (const RegisterFile* const file = system_.components()[i].register_file)
            all.push_back({plan_.components[i].name, plan_.components[i].registers, file});
    for (const System::Peripheral& peripheral : system_.peripherals())
        all.push_back({peripheral.name, peripheral.base, peripheral.registers});
    return all;
}

namespace {

std::size_t access(riscv::Core& core, tlm::tlm_command command, std::uint64_t address,
                   std::uint8_t* data, std::size_t bytes)
{
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    return core.bus->transport_dbg(payload);
}

} // namespace

std::size_t MachineView::read(std::uint64_t address, std::span<std::uint8_t> data) const
{
    const std::size_t read =
        access(system_.core(), tlm::TLM_READ_COMMAND, address, data.data(), data.size());
    // If hardware keeps the cache coherent, accelerators would read the cache's bytes, which may be
    // newer than memory.
    const auto& dcache = plan_.config.core.dcache;
    if (const auto at = core_address(address); at && dcache && dcache->snooped)
        system_.core().hart().debug_read(*at, data.first(read));
    return read;
}

std::size_t MachineView::write(std::uint64_t address, std::span<const std::uint8_t> data) const
{
    // The target only reads the bytes, so the cast is safe.
    const std::size_t written = access(system_.core(), tlm::TLM_WRITE_COMMAND, address,
                                       const_cast<std::uint8_t*>(data.data()), data.size());
    if (const auto at = core_address(address))
        system_.core().hart().debug_wrote(*at, data.first(written));
    return written;
}

std::optional<std::uint32_t> MachineView::core_address(std::uint64_t address) const
{
    for (const PlannedComponent& planned : plan_.components)
        if (planned.stores() && address >= planned.base &&
            address - planned.base < planned.core_size)
            return planned.core_base + static_cast<std::uint32_t>(address - planned.base);
    return address <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(address))
                                 : std::nullopt;
}

std::string MachineView::place_of(std::uint64_t address) const
{
    if (address >= LEVEE_STREAM_BASE)
        return "stream port " + std::to_string(address - LEVEE_STREAM_BASE);
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const PlannedComponent& planned = plan_.components[i];
        const unsigned ways = planned.stores() ? plan_.ways_at(i) : 0;
        const std::uint64_t size = ways * planned.plan.placement.mapped();
        if (address >= planned.base && address - planned.base < size)
            return planned.name + format("+0x%" PRIx64, address - planned.base);
        if (planned.stores() && address >= planned.core_base &&
            address - planned.core_base < planned.core_size)
            return planned.name + format("+0x%" PRIx64, address - planned.core_base);
    }
    return {};
}

} // namespace levee::debug
