// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace levee::trace {

namespace {

std::string address(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%" PRIx64, value);
    return text.data();
}

std::string number(float value)
{
    std::array<char, 24> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

template <std::integral T> std::string number(T value)
{
    return std::to_string(value);
}

template <typename T> T read(const std::uint8_t* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Descriptors are little-endian, and so is the host.
std::string element_text(const Field& field, const std::uint8_t* at)
{
    switch (field.kind) {
    case Field::Kind::Address:
        return address(read<std::uint64_t>(at));
    case Field::Kind::Float:
        return number(read<float>(at));
    case Field::Kind::Signed:
        return field.bytes == sizeof(std::int64_t) ? number(read<std::int64_t>(at))
                                                   : number(read<std::int32_t>(at));
    default: {
        std::uint32_t value = 0;
        std::memcpy(&value, at, field.bytes);
        return value < field.values.size() ? std::string(field.values[value]) : number(value);
    }
    }
}

std::string text_of(const Field& field, const std::uint8_t* operation)
{
    const std::uint8_t* const at = operation + field.offset;
    if (field.count == 0)
        return element_text(field, at);
    std::string text = "[";
    for (std::size_t i = 0; i < field.count; ++i)
        text += (i == 0 ? "" : ", ") + element_text(field, at + i * field.bytes);
    return text + "]";
}

std::size_t end_of(const Field& field)
{
    return field.offset + field.bytes * std::max<std::size_t>(field.count, 1);
}

void add_head(Fields& fields, const levee_descriptor& descriptor)
{
    fields.emplace_back("tag", number(descriptor.tag));
    if (descriptor.flags != 0)
        fields.emplace_back("flags (head)", number(descriptor.flags));
    for (std::size_t i = 0; i < std::size(descriptor.wait_counter); ++i)
        if (descriptor.wait_counter[i] != LEVEE_NO_COUNTER)
            fields.emplace_back("wait " + std::to_string(i),
                                "counter " + number(descriptor.wait_counter[i]) +
                                    " >= " + number(descriptor.wait_value[i]));
    for (std::size_t i = 0; i < std::size(descriptor.signal_counter); ++i)
        if (descriptor.signal_counter[i] != LEVEE_NO_COUNTER)
            fields.emplace_back("signal " + std::to_string(i),
                                "counter " + number(descriptor.signal_counter[i]) +
                                    " += " + number(descriptor.signal_add[i]) + " every " +
                                    number(descriptor.signal_every[i]));
    for (std::size_t i = 0; i < std::size(descriptor.indirect); ++i)
        if (descriptor.indirect[i].source != 0)
            fields.emplace_back("indirect " + std::to_string(i),
                                "byte " + number(descriptor.indirect[i].field_offset) +
                                    " += word " + address(descriptor.indirect[i].source) + " * " +
                                    number(descriptor.indirect[i].multiplier));
}

} // namespace

std::string operation_name(const Declaration& declaration, const levee_descriptor& descriptor)
{
    if (descriptor.opcode == LEVEE_OPCODE_FENCE)
        return "FENCE";
    for (const Opcode& opcode : declaration.opcodes)
        if (opcode.value == descriptor.opcode)
            return opcode.name;
    return "opcode " + std::to_string(descriptor.opcode);
}

std::string field_name(const Declaration& declaration, std::uint8_t version, std::uint32_t offset)
{
    constexpr std::uint32_t head = offsetof(levee_descriptor, operation);
    if (offset < head)
        return field_at(head_fields, offset);
    std::uint32_t member = offset - head;
    if (version == LEVEE_DESCRIPTOR_V2 && offset >= LEVEE_DESCRIPTOR_CONTINUATION_AT) {
        if (offset < LEVEE_DESCRIPTOR_BYTES)
            return "continuation";
        member = offset - LEVEE_DESCRIPTOR_BYTES + LEVEE_DESCRIPTOR_INLINE_BYTES;
    }
    return declaration.fields.empty() ? "operation" : field_at(declaration.fields, member);
}

Fields operation_fields(const Declaration& declaration, const levee_descriptor& descriptor,
                        std::span<const std::uint8_t> operation)
{
    Fields fields;
    add_head(fields, descriptor);
    for (const Field& field : declaration.fields)
        if (std::string_view(field.name) != "reserved" && end_of(field) <= operation.size())
            fields.emplace_back(field.name, text_of(field, operation.data()));
    return fields;
}

} // namespace levee::trace
