// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/tensor.hpp"
#include "test/unit/element_serial/serial_system.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace levee::test {

/// A random operation with its operands in the system's memory, and a naive evaluation of it.
class SerialWork {
public:
    std::uint8_t opcode = LEVEE_ES_REDUCE;
    levee_es_operation op{};

    SerialWork(Bench& system, std::uint32_t seed, std::uint32_t tile = paper_tile)
        : system_(system), seed_(seed), tile_(tile)
    {
        opcode = draw(2) ? LEVEE_ES_REDUCE : LEVEE_ES_NORMALISE;
        op.function = static_cast<std::uint8_t>(draw(3));
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(2));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(4));
        op.rows = static_cast<std::uint16_t>(1 + draw(4));
        op.group = static_cast<std::uint16_t>(1 + draw(3));
        op.n = op.rows + draw(100);
        op.param = static_cast<float>(draw(64)) / 64.0f;
        op.x_type = opcode == LEVEE_ES_REDUCE && draw(2) ? LEVEE_TYPE_FP32 : LEVEE_TYPE_FP16;
        op.x = place(op.x_stride, bytes_of(op.n, op.x_type));
        fill_x();
        if (opcode == LEVEE_ES_REDUCE && draw(2))
            op.y = place_halves(op.y_stride, 2 * op.n);
        op.out = place(op.out_stride, 2 * op.n);
        op.statistics = place(op.statistics_stride, sizeof(levee_es_statistics));
        if (opcode == LEVEE_ES_NORMALISE)
            fill_statistics();
        if (op.function == LEVEE_ES_SOFTMAX)
            place_lengths();
        else if (opcode == LEVEE_ES_NORMALISE)
            place_factors();
    }

    /// Fills the memory for results with a marker.
    void fill_results()
    {
        fill(op.out, op.out_stride, 2 * op.n);
        if (opcode == LEVEE_ES_REDUCE)
            fill(op.statistics, op.statistics_stride, sizeof(levee_es_statistics));
    }
    /// Returns all memory that the operation may access.
    std::vector<std::uint8_t> memory()
    {
        return system_.get<std::uint8_t>(memory_base, system_.mark());
    }
    /// Returns the contents that memory() must have afterwards.
    std::vector<std::uint8_t> expected()
    {
        std::vector<std::uint8_t> bytes = memory();
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t row = 0; row < op.rows; ++row)
                    evaluate(o0, o1, row, bytes);
        return bytes;
    }
    std::uint32_t length(std::uint32_t o0, std::uint32_t o1, std::uint32_t row) const
    {
        std::uint32_t all = op.n;
        if (op.lengths != 0) {
            std::memcpy(&all, system_.at(op.lengths + o0 * 40 + o1 / op.group * 12), 4);
            all += op.length_add;
        }
        return (op.flags & LEVEE_ES_CAUSAL) != 0 ? all - op.rows + 1 + row : all;
    }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 8, drawn_++) % below; }

    static std::uint64_t at(std::uint64_t address, const std::int32_t (&stride)[3],
                            std::uint32_t o0, std::uint32_t o1, std::uint32_t row)
    {
        return offset_by(offset_by(offset_by(address, stride[0], o0), stride[1], o1), stride[2],
                         row);
    }
    /// Reserves rows of `bytes`, with random gaps between them.
    std::uint64_t place(std::int32_t (&stride)[3], std::uint64_t bytes)
    {
        const std::uint32_t count[] = {op.outer[0], op.outer[1], op.rows};
        for (int level = 2; level >= 0; --level) {
            bytes = (bytes + 3) / 4 * 4 + (draw(2) ? 0 : 4 * draw(4));
            stride[level] = static_cast<std::int32_t>(bytes);
            bytes *= count[level];
        }
        return system_.take(bytes + 8);
    }
    std::uint64_t place_halves(std::int32_t (&stride)[3], std::uint64_t bytes)
    {
        const std::uint64_t address = place(stride, bytes);
        const std::uint64_t end = system_.mark() + memory_base;
        for (std::uint64_t i = address; i + 2 <= end; i += 2)
            put_half(i);
        return address;
    }
    void put_half(std::uint64_t address)
    {
        const auto value = static_cast<float>(normal(seed_, drawn_++)) * 3.0f;
        const std::uint16_t bits = draw(200) == 0 ? 0xFC00 : fp32_to_fp16(value);
        std::memcpy(system_.at(address), &bits, sizeof bits);
    }
    void fill_x()
    {
        const std::uint64_t end = system_.mark() + memory_base;
        for (std::uint64_t i = op.x; i + 4 <= end; i += 4) {
            put_half(i);
            put_half(i + 2);
            const auto value = static_cast<float>(normal(seed_, drawn_++));
            if (op.x_type == LEVEE_TYPE_FP32)
                std::memcpy(system_.at(i), &value, sizeof value);
        }
    }
    void fill_statistics()
    {
        const std::uint64_t end = system_.mark() + memory_base;
        for (std::uint64_t i = op.statistics; i + 8 <= end; i += 4) {
            const float value = 1.0f + static_cast<float>(draw(1000)) / 64.0f;
            std::memcpy(system_.at(i), &value, sizeof value);
        }
    }
    void place_lengths()
    {
        op.flags = draw(2) ? LEVEE_ES_CAUSAL : 0;
        op.window = draw(2) ? 1 + draw(op.n) : 0;
        if (draw(4) == 0)
            return;
        op.length_add = draw(2);
        std::vector<std::uint32_t> words(40);
        for (std::uint32_t& word : words)
            word = op.rows - op.length_add + draw(op.n - op.rows + 1);
        op.lengths = system_.put(words);
        op.lengths_stride[0] = 40;
        op.lengths_stride[1] = 12;
    }
    void place_factors()
    {
        std::vector<float> gain(op.n), bias(op.n);
        for (std::size_t i = 0; i < op.n; ++i) {
            gain[i] = static_cast<float>(normal(seed_, drawn_++));
            bias[i] = static_cast<float>(normal(seed_, drawn_++));
        }
        op.gain = draw(3) == 0 ? 0 : system_.put(gain);
        op.bias = draw(3) == 0 ? 0 : system_.put(bias);
    }
    void fill(std::uint64_t address, const std::int32_t (&stride)[3], std::uint64_t bytes)
    {
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t row = 0; row < op.rows; ++row)
                    std::memset(system_.at(at(address, stride, o0, o1, row)), 0x5A, bytes);
    }

    template <typename T> T from(std::uint64_t address) const
    {
        T value;
        std::memcpy(&value, system_.at(address), sizeof value);
        return value;
    }
    void evaluate(std::uint32_t o0, std::uint32_t o1, std::uint32_t row,
                  std::vector<std::uint8_t>& bytes)
    {
        const auto function = static_cast<element_serial::Function>(op.function);
        const std::uint64_t x = at(op.x, op.x_stride, o0, o1, row);
        const std::uint64_t statistics = at(op.statistics, op.statistics_stride, o0, o1, row);
        Halves row_out(op.n, 0);
        const std::uint32_t valid = length(o0, o1, row);
        const std::uint32_t first = op.window != 0 && op.window < valid ? valid - op.window : 0;
        if (opcode == LEVEE_ES_REDUCE) {
            for (std::uint32_t i = first; i < valid; ++i) {
                const float element = op.x_type == LEVEE_TYPE_FP32
                                          ? from<float>(x + 4 * i)
                                          : fp16_to_fp32(from<std::uint16_t>(x + 2 * i));
                float addend = element_serial::no_addend;
                if (op.y != 0)
                    addend = fp16_to_fp32(
                        from<std::uint16_t>(at(op.y, op.y_stride, o0, o1, row) + 2 * i));
                row_out[i] = element_serial::entered(function, op.param, element, addend);
            }
            const auto result = element_serial::reduce(
                function, tile_, std::span(row_out).subspan(first, valid - first));
            std::memcpy(&bytes[statistics - memory_base], &result, sizeof result);
        } else {
            const auto factors = element_serial::factors_of(
                function, from<levee_es_statistics>(statistics), valid, op.param);
            for (std::uint32_t i = first; i < valid; ++i)
                row_out[i] = element_serial::normalised(
                    function, factors, from<std::uint16_t>(x + 2 * i),
                    op.gain != 0 ? from<float>(op.gain + 4 * i) : element_serial::no_factor,
                    op.bias != 0 ? from<float>(op.bias + 4 * i) : element_serial::no_addend);
        }
        std::memcpy(&bytes[at(op.out, op.out_stride, o0, o1, row) - memory_base], row_out.data(),
                    2 * row_out.size());
    }

    Bench& system_;
    std::uint32_t seed_, tile_;
    std::uint64_t drawn_ = 0;
};

} // namespace levee::test
