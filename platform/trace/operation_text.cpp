#include "platform/trace/operation_text.hpp"

#include "ip/dma/regs.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"
#include "ip/veda/regs.h"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace levee::trace {

namespace {

const char* known_name(levee_block_type block, std::uint8_t opcode)
{
    constexpr std::array<const char*, 13> vector_operations{
        "RMS_NORM", "LAYER_NORM", "ROPE",  "SOFTMAX", "SILU_MUL", "GELU",    "RELU",
        "ADD",      "QUANTISE",   "EMBED", "ARGMAX",  "SAMPLE",   "LOG_PROB"};
    constexpr std::array<const char*, 4> evictions{"ACCUMULATE", "EVICT", "SELECT", "POPULAR"};
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
        return opcode >= LEVEE_SE_ACCUMULATE && opcode <= LEVEE_SE_POPULAR
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

template <typename T>
std::string number(T value)
    requires std::is_integral_v<T>
{
    return std::to_string(value);
}

template <typename T, std::size_t count> std::string number(const T (&values)[count])
{
    std::string text = "[";
    for (std::size_t i = 0; i < count; ++i)
        text += (i == 0 ? "" : ", ") + number(values[i]);
    return text + "]";
}

template <typename Operation> Operation operation_of(const levee_descriptor& descriptor)
{
    Operation operation;
    std::memcpy(&operation, descriptor.operation, sizeof operation);
    return operation;
}

#define LEVEE_TRACE_NUMBER(field) fields.emplace_back(#field, number(operation.field))
#define LEVEE_TRACE_ADDRESS(field) fields.emplace_back(#field, address(operation.field))

void add_gemm(Fields& fields, const levee_descriptor& descriptor)
{
    const auto operation = operation_of<levee_rsa_operation>(descriptor);
    LEVEE_TRACE_NUMBER(outer);
    LEVEE_TRACE_NUMBER(m1);
    LEVEE_TRACE_NUMBER(m0);
    LEVEE_TRACE_NUMBER(k);
    LEVEE_TRACE_NUMBER(n);
    LEVEE_TRACE_ADDRESS(a);
    LEVEE_TRACE_ADDRESS(a_scale);
    LEVEE_TRACE_ADDRESS(b);
    LEVEE_TRACE_ADDRESS(b_scale);
    LEVEE_TRACE_ADDRESS(bias);
    LEVEE_TRACE_ADDRESS(out);
    LEVEE_TRACE_ADDRESS(lengths);
    LEVEE_TRACE_NUMBER(a_stride);
    LEVEE_TRACE_NUMBER(a_scale_stride);
    LEVEE_TRACE_NUMBER(b_stride);
    LEVEE_TRACE_NUMBER(b_scale_stride);
    LEVEE_TRACE_NUMBER(out_stride);
    LEVEE_TRACE_NUMBER(lengths_stride);
    LEVEE_TRACE_NUMBER(alpha);
    LEVEE_TRACE_NUMBER(a_type);
    LEVEE_TRACE_NUMBER(b_type);
    LEVEE_TRACE_NUMBER(flags);
    LEVEE_TRACE_NUMBER(ragged);
    LEVEE_TRACE_NUMBER(length_add);
}

void add_vector(Fields& fields, const levee_descriptor& descriptor)
{
    const auto operation = operation_of<levee_sfu_operation>(descriptor);
    LEVEE_TRACE_NUMBER(outer);
    LEVEE_TRACE_NUMBER(rows);
    LEVEE_TRACE_NUMBER(n);
    LEVEE_TRACE_ADDRESS(x);
    LEVEE_TRACE_ADDRESS(y);
    LEVEE_TRACE_ADDRESS(out);
    LEVEE_TRACE_ADDRESS(out_scale);
    LEVEE_TRACE_ADDRESS(gain);
    LEVEE_TRACE_ADDRESS(bias);
    LEVEE_TRACE_ADDRESS(lengths);
    LEVEE_TRACE_ADDRESS(indices);
    LEVEE_TRACE_ADDRESS(positions);
    LEVEE_TRACE_NUMBER(x_stride);
    LEVEE_TRACE_NUMBER(y_stride);
    LEVEE_TRACE_NUMBER(out_stride);
    LEVEE_TRACE_NUMBER(out_scale_stride);
    LEVEE_TRACE_NUMBER(lengths_stride);
    LEVEE_TRACE_NUMBER(indices_stride);
    LEVEE_TRACE_NUMBER(positions_stride);
    LEVEE_TRACE_NUMBER(length_add);
    LEVEE_TRACE_NUMBER(param);
    LEVEE_TRACE_NUMBER(seed);
    LEVEE_TRACE_NUMBER(x_type);
    LEVEE_TRACE_NUMBER(out_type);
    LEVEE_TRACE_NUMBER(flags);
    LEVEE_TRACE_NUMBER(group);
}

void add_copy(Fields& fields, const levee_descriptor& descriptor)
{
    const auto operation = operation_of<levee_dma_operation>(descriptor);
    LEVEE_TRACE_NUMBER(count);
    LEVEE_TRACE_NUMBER(run_bytes);
    LEVEE_TRACE_ADDRESS(source);
    LEVEE_TRACE_ADDRESS(destination);
    LEVEE_TRACE_NUMBER(source_stride);
    LEVEE_TRACE_NUMBER(destination_stride);
    LEVEE_TRACE_NUMBER(fill);
}

void add_eviction(Fields& fields, const levee_descriptor& descriptor)
{
    const auto operation = operation_of<levee_se_operation>(descriptor);
    LEVEE_TRACE_NUMBER(outer);
    LEVEE_TRACE_NUMBER(rows);
    LEVEE_TRACE_NUMBER(group);
    LEVEE_TRACE_NUMBER(n);
    LEVEE_TRACE_NUMBER(capacity);
    LEVEE_TRACE_NUMBER(sinks);
    LEVEE_TRACE_NUMBER(window);
    LEVEE_TRACE_ADDRESS(scores);
    LEVEE_TRACE_ADDRESS(importance);
    LEVEE_TRACE_ADDRESS(positions);
    LEVEE_TRACE_ADDRESS(gather);
    LEVEE_TRACE_ADDRESS(lengths);
    LEVEE_TRACE_ADDRESS(now);
    LEVEE_TRACE_ADDRESS(arrival);
    LEVEE_TRACE_ADDRESS(next);
    LEVEE_TRACE_ADDRESS(views);
    LEVEE_TRACE_ADDRESS(keys);
    LEVEE_TRACE_ADDRESS(values);
    LEVEE_TRACE_ADDRESS(formats);
    LEVEE_TRACE_NUMBER(scores_stride);
    LEVEE_TRACE_NUMBER(importance_stride);
    LEVEE_TRACE_NUMBER(positions_stride);
    LEVEE_TRACE_NUMBER(views_stride);
    LEVEE_TRACE_NUMBER(kv_stride);
    LEVEE_TRACE_NUMBER(table_stride);
    LEVEE_TRACE_NUMBER(kv_row_bytes);
    LEVEE_TRACE_NUMBER(score);
    LEVEE_TRACE_NUMBER(flags);
    LEVEE_TRACE_NUMBER(view_bits);
    LEVEE_TRACE_NUMBER(seed);
}

void add_gemv(Fields& fields, const levee_descriptor& descriptor)
{
    const auto operation = operation_of<levee_veda_operation>(descriptor);
    LEVEE_TRACE_NUMBER(outer);
    LEVEE_TRACE_NUMBER(m);
    LEVEE_TRACE_NUMBER(k);
    LEVEE_TRACE_NUMBER(n);
    LEVEE_TRACE_ADDRESS(a);
    LEVEE_TRACE_ADDRESS(b);
    LEVEE_TRACE_ADDRESS(out);
    LEVEE_TRACE_ADDRESS(lengths);
    LEVEE_TRACE_NUMBER(a_stride);
    LEVEE_TRACE_NUMBER(b_stride);
    LEVEE_TRACE_NUMBER(out_stride);
    LEVEE_TRACE_NUMBER(lengths_stride);
    LEVEE_TRACE_NUMBER(length_add);
    LEVEE_TRACE_NUMBER(mode);
    LEVEE_TRACE_NUMBER(flags);
    LEVEE_TRACE_NUMBER(ragged);
    LEVEE_TRACE_NUMBER(out_type);
}

#undef LEVEE_TRACE_NUMBER
#undef LEVEE_TRACE_ADDRESS

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

Fields operation_fields(levee_block_type block, const levee_descriptor& descriptor)
{
    Fields fields;
    add_head(fields, descriptor);
    if (block == LEVEE_BLOCK_RSA)
        add_gemm(fields, descriptor);
    else if (block == LEVEE_BLOCK_SFU)
        add_vector(fields, descriptor);
    else if (block == LEVEE_BLOCK_DMA)
        add_copy(fields, descriptor);
    else if (block == LEVEE_BLOCK_VEDA)
        add_gemv(fields, descriptor);
    else if (block == LEVEE_BLOCK_SYSTOLIC_EVICTOR)
        add_eviction(fields, descriptor);
    return fields;
}

} // namespace levee::trace
