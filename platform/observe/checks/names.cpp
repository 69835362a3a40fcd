// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/names.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace levee::checks {

namespace {

constexpr unsigned most_names = 20;
constexpr unsigned target_shift = 48; // 2^48 is larger than any memory
constexpr std::uint64_t address_mask = (std::uint64_t{1} << target_shift) - 1;

} // namespace

std::string hex(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string Context::place(std::uint32_t pc) const
{
    const std::string name = symbols.locate(pc);
    return hex(pc) + (name == "??" ? " (in no function)" : " <" + name + ">");
}

std::uint64_t Context::core_ps() const
{
    riscv::Core& core = system.core();
    return core.clock().edge_ps(core.hart().cycle()).value_or(0);
}

std::string error_name(std::uint32_t code)
{
    constexpr std::array<const char*, 11> names{
        "none",        "not a descriptor",  "no such operation", "field out of range",
        "bad address", "element type",      "queue overflow",    "no such counter",
        "stream port", "cannot be fetched", "unknown version"};
    return code < names.size() ? names[code] : "error " + std::to_string(code);
}

std::string operation_of(const Declaration& declaration, const levee_descriptor& descriptor)
{
    return trace::operation_name(declaration, descriptor) + ", tag " +
           std::to_string(descriptor.tag);
}

std::string name_in_source(const std::string& name)
{
    const std::size_t dot = name.find_last_not_of("0123456789");
    return dot != std::string::npos && dot != 0 && name[dot] == '.' && dot + 1 < name.size()
               ? name.substr(0, dot)
               : name;
}

std::uint32_t peek(const RegisterFile& registers, std::uint32_t offset)
{
    for (const Register& reg : registers.registers())
        if (reg.offset == offset && reg.read)
            return reg.value();
    return 0;
}

int index_of_initiator(System& system, const std::string& name)
{
    const auto& names = system.initiators();
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::uint64_t MemoryKeys::of(const bus::Mapping& window, std::uint64_t address)
{
    return (std::uint64_t{window.target} << target_shift) +
           (address - window.base + window.target_base);
}

std::optional<std::uint64_t> MemoryKeys::of(std::uint64_t address)
{
    if (last_ != nullptr && address >= last_->base && address - last_->base < last_->size)
        return of(*last_, address);
    for (const bus::Mapping& window : context_.system.bus().mappings())
        if (address >= window.base && address - window.base < window.size) {
            last_ = &window;
            return of(window, address);
        }
    return std::nullopt;
}

bool MemoryKeys::stores(std::uint64_t key) const
{
    for (const bus::Mapping& window : context_.system.bus().mappings())
        if (window.target == key >> target_shift && window.shows_data)
            return true;
    return false;
}

std::uint64_t MemoryKeys::address(std::uint64_t key) const
{
    for (const bus::Mapping& window : context_.system.bus().mappings())
        for (const PlannedComponent& memory : context_.plan.components)
            if (window.target == key >> target_shift && memory.stores() &&
                memory.base == window.base)
                return memory.base + (key & address_mask);
    return key & address_mask;
}

void Findings::report(const std::string& who, const std::string& text, std::uint64_t ps)
{
    if (++count_ <= most_names)
        warn(who, text + "; at " + time_text(ps));
    if (count_ == most_names)
        warn(who, "further findings are not reported");
}

std::string time_text(std::uint64_t ps)
{
    constexpr std::array<std::pair<const char*, double>, 3> units{
        {{"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}};
    const auto at = static_cast<double>(ps);
    const auto unit = std::find_if(units.begin(), units.end() - 1,
                                   [at](const auto& u) { return at >= u.second; });
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g %s", at / unit->second, unit->first);
    return text.data();
}

void warn(const std::string& who, const std::string& text)
{
    const auto logger = spdlog::get("platform");
    (logger ? logger : spdlog::stderr_color_mt("platform"))->clone(who)->warn(text);
}

} // namespace levee::checks
