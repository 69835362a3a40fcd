// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/names.hpp"

#include "platform/observe/trace/operation_text.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>

namespace levee::mistakes {

std::string hex(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::string Context::place(std::uint32_t pc) const
{
    return hex(pc) + " <" + symbols.locate(pc) + ">";
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

std::uint32_t peek(const RegisterFile& registers, std::uint32_t offset)
{
    for (const Register& reg : registers.registers())
        if (reg.offset == offset && reg.read)
            return reg.value();
    return 0;
}

void warn(const std::string& who, const std::string& text)
{
    const auto logger = spdlog::get("platform");
    (logger ? logger : spdlog::stderr_color_mt("platform"))->clone(who)->warn("{}", text);
}

} // namespace levee::mistakes
