// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/operation_text.hpp"

#include "ip/dma/fields.hpp"
#include "ip/rsa/fields.hpp"
#include "ip/sfu/fields.hpp"
#include "ip/systolic_evictor/fields.hpp"
#include "ip/veda/fields.hpp"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace levee::trace {

namespace {

const char* known_name(levee_block_type block, std::uint8_t opcode)
{
    constexpr std::array<const char*, 13> vector_operations{
        "RMS_NORM", "LAYER_NORM", "ROPE",  "SOFTMAX", "SILU_MUL", "GELU",    "RELU",
        "ADD",      "QUANTISE",   "EMBED", "ARGMAX",  "SAMPLE",   "LOG_PROB"};
    constexpr std::array<const char*, 5> evictions{"ACCUMULATE", "EVICT", "SELECT", "POPULAR",
                                                   "FORGET"};
    switch (block) {
    case LEVEE_BLOCK_RSA:
        return opcode == LEVEE_RSA_GEMM ? "GEMM" : nullptr;
    case LEVEE_BLOCK_SFU:
        return opcode >= LEVEE_SFU_RMS_NORM && opcode <= LEVEE_SFU_LOG_PROB
                   ? vector_operations[opcode - LEVEE_SFU_RMS_NORM]
                   : nullptr;
    case LEVEE_BLOCK_VEDA:
        return opcode == LEVEE_VEDA_GEMV ? "GEMV" : nullptr;
    case LEVEE_BLOCK_DMA:
        return opcode == LEVEE_DMA_COPY ? "COPY" : opcode == LEVEE_DMA_FILL ? "FILL" : nullptr;
    case LEVEE_BLOCK_SYSTOLIC_EVICTOR:
        return opcode >= LEVEE_SE_ACCUMULATE && opcode <= LEVEE_SE_FORGET
                   ? evictions[opcode - LEVEE_SE_ACCUMULATE]
                   : nullptr;
    default:
        return nullptr;
    }
}

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

template <typename T> std::string number(T value) requires std::is_integral_v<T>
{
    return std::to_string(value);
}

template <typename T> T read(const std::uint8_t* at)
{
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Integers of descriptors are little endian, as the host.
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
        return number(value);
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

std::string operation_name(levee_block_type block, const levee_descriptor& descriptor)
{
    const char* const name = known_name(block, descriptor.opcode);
    return name != nullptr ? name : "opcode " + std::to_string(descriptor.opcode);
}

std::span<const Field> fields_of(levee_block_type block)
{
    switch (block) {
    case LEVEE_BLOCK_RSA:
        return rsa::operation_fields;
    case LEVEE_BLOCK_SFU:
        return sfu::operation_fields;
    case LEVEE_BLOCK_DMA:
        return dma::operation_fields;
    case LEVEE_BLOCK_VEDA:
        return veda::operation_fields;
    case LEVEE_BLOCK_SYSTOLIC_EVICTOR:
        return systolic_evictor::operation_fields;
    default:
        return {};
    }
}

Fields operation_fields(levee_block_type block, const levee_descriptor& descriptor)
{
    Fields fields;
    add_head(fields, descriptor);
    for (const Field& field : fields_of(block))
        if (std::string_view(field.name) != "reserved")
            fields.emplace_back(field.name, text_of(field, descriptor.operation));
    return fields;
}

} // namespace levee::trace
