// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/veda/model.hpp"
#include "ip/veda/regs.h"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace levee::test {

/// A random operation with its operands in the system's memory, and a naive evaluation of it.
class Gemv {
public:
    levee_veda_operation op{};

    Gemv(Bench& system, const veda::ArrayShape& shape, std::uint32_t seed)
        : system_(system), shape_(shape), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(4));
        op.m = 1 + draw(3);
        op.k = 1 + draw(40);
        op.n = 1 + draw(40);
        op.mode = static_cast<std::uint8_t>(draw(2));
        op.flags = static_cast<std::uint8_t>(draw(4));
        op.out_type = draw(2) ? LEVEE_TYPE_FP16 : LEVEE_TYPE_FP32;
        op.group = draw(4);
        place();
        op.ragged = static_cast<std::uint8_t>(draw(3));
        if (op.ragged != LEVEE_VEDA_RAGGED_NONE)
            place_lengths();
    }

    void fill_output() { std::memset(system_.at(op.out) - 64, 0x5A, out_bytes_ + 128); }
    std::vector<std::uint8_t> output()
    {
        return system_.get<std::uint8_t>(op.out - 64, out_bytes_ + 128);
    }
    /// Returns the expected value of output().
    std::vector<std::uint8_t> expected()
    {
        std::vector<std::uint8_t> bytes(out_bytes_ + 128, 0x5A);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t m = 0; m < op.m; ++m)
                    evaluate(o0, o1, m, &bytes[64 + at(op.out_stride, o0, o1, m)]);
        return bytes;
    }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 8, drawn_++) % below; }

    static std::uint64_t at(const std::int32_t (&stride)[3], std::uint32_t o0, std::uint32_t o1,
                            std::uint32_t row)
    {
        return static_cast<std::uint64_t>(std::int64_t{stride[0]} * o0 +
                                          std::int64_t{stride[1]} * o1 +
                                          std::int64_t{stride[2]} * row);
    }

    /// Draws strides around rows of `bytes`, with random gaps. Returns the extent of the whole
    /// nest.
    std::uint64_t nest(std::int32_t (&stride)[3], std::uint32_t rows, std::uint64_t bytes)
    {
        const std::uint32_t count[] = {op.outer[0], op.outer[1], rows};
        for (int level = 2; level >= 0; --level) {
            bytes = (bytes + 3) / 4 * 4 + (draw(2) ? 0 : 4 * draw(4));
            stride[level] = static_cast<std::int32_t>(bytes);
            bytes *= count[level];
        }
        return bytes;
    }
    std::uint64_t numbers(std::uint64_t bytes)
    {
        std::vector<std::uint16_t> values((bytes + 1) / 2);
        for (std::uint16_t& value : values) {
            const std::uint32_t bits = random_word(seed_, 9, drawn_++);
            value = static_cast<std::uint16_t>((bits & 0x83FF) |
                                               (bits >> 16) % (bits >> 24 == 0 ? 32 : 16) << 10);
        }
        return system_.put(values);
    }
    void place()
    {
        const bool transposed = (op.flags & LEVEE_VEDA_B_TRANSPOSED) != 0;
        op.a = numbers(nest(op.a_stride, op.m, op.k * 2));
        op.b = numbers(nest(op.b_stride, transposed ? op.n : op.k, (transposed ? op.k : op.n) * 2));
        out_bytes_ = nest(op.out_stride, op.m, bytes_of(op.n, op.out_type));
        op.out = system_.take(out_bytes_ + 128) + 64;
    }
    void place_lengths()
    {
        const std::uint32_t longest = op.ragged == LEVEE_VEDA_RAGGED_K ? op.k : op.n;
        if (longest >= op.m && draw(2))
            op.flags |= LEVEE_VEDA_CAUSAL;
        const std::uint32_t least = is_causal() ? op.m : 1;
        op.length_add = draw(2) ? 0 : 1;
        std::vector<std::uint32_t> words(40);
        for (std::uint32_t& word : words)
            word = least - op.length_add + draw(longest - least + 1);
        op.lengths = system_.put(words);
        op.lengths_stride[0] = 40;
        op.lengths_stride[1] = 12;
    }

    bool is_causal() const { return (op.flags & LEVEE_VEDA_CAUSAL) != 0; }
    std::uint32_t shared(std::uint32_t o1) const { return o1 / std::max(op.group, 1u); }
    std::uint32_t length(std::uint32_t o0, std::uint32_t o1, std::uint32_t m) const
    {
        std::uint32_t word = 0;
        std::memcpy(&word, system_.at(op.lengths + o0 * 40 + shared(o1) * 12), 4);
        return word + op.length_add - (is_causal() ? op.m - 1 - m : 0);
    }
    void evaluate(std::uint32_t o0, std::uint32_t o1, std::uint32_t m, std::uint8_t* to)
    {
        const veda::Configuration configuration{
            op.mode == LEVEE_VEDA_OUTER ? veda::Mode::Outer : veda::Mode::Inner,
            (op.flags & LEVEE_VEDA_SPLIT) != 0, op.out_type == LEVEE_TYPE_FP16};
        const bool transposed = (op.flags & LEVEE_VEDA_B_TRANSPOSED) != 0;
        veda::Product product;
        product.k = op.ragged == LEVEE_VEDA_RAGGED_K ? length(o0, o1, m) : op.k;
        product.n = op.ragged == LEVEE_VEDA_RAGGED_N ? length(o0, o1, m) : op.n;
        product.b_transposed = transposed;
        product.b_pitch = static_cast<std::size_t>(op.b_stride[2]) / 2;
        const auto a = system_.get<std::uint16_t>(op.a + at(op.a_stride, o0, o1, m), product.k);
        const auto b =
            system_.get<std::uint16_t>(op.b + at(op.b_stride, o0, shared(o1), 0),
                                       (transposed ? product.n : product.k) * product.b_pitch);
        std::vector<std::uint32_t> out(product.n);
        product.a = a.data();
        product.b = b.data();
        product.out = out.data();
        veda::multiply(shape_, configuration, product);
        const std::size_t bytes = configuration.narrow ? 2 : 4;
        for (std::size_t i = 0; i < out.size(); ++i)
            std::memcpy(to + i * bytes, &out[i], bytes);
    }

    Bench& system_;
    veda::ArrayShape shape_;
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    std::uint64_t out_bytes_ = 0;
};

} // namespace levee::test
