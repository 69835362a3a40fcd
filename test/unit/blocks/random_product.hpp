// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/model.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace levee::test {

/// A random product with its operands in the system's memory, and a naive evaluation of it.
class Product {
public:
    levee_rsa_operation op{};

    Product(Bench& system, std::uint32_t seed) : system_(system), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(3));
        op.m1 = static_cast<std::uint16_t>(1 + draw(3));
        op.m0 = static_cast<std::uint16_t>(1 + draw(3));
        op.k = 1 + draw(70);
        op.n = 1 + draw(70);
        op.a_type = draw(2) ? LEVEE_TYPE_INT8 : LEVEE_TYPE_INT16;
        const std::uint8_t b_types[] = {LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16,
                                        LEVEE_TYPE_INT3};
        op.b_type = b_types[draw(4)];
        op.flags = draw(2) ? LEVEE_RSA_B_TRANSPOSED : 0;
        op.alpha = draw(2) ? 1.0f : 0.125f;
        if (draw(3) == 0)
            op.flags |= LEVEE_RSA_ACCUMULATE;
        if (draw(3) == 0)
            op.flags |=
                static_cast<std::uint8_t>(LEVEE_RSA_GROUP(LEVEE_RSA_MIN_GROUP_LOG2 + draw(4)));
        place_operands();
        if (group() != 0)
            return;
        op.ragged = static_cast<std::uint8_t>(draw(3));
        if (op.ragged != LEVEE_RSA_RAGGED_NONE)
            place_lengths();
    }

    /// Returns the number of columns of the first product.
    std::uint32_t width() const { return op.ragged == LEVEE_RSA_RAGGED_N ? length(0, 0) : op.n; }

    /// Replaces scales for groups of weights by plain scales, because redirected rows have no
    /// groups.
    void leave_groups_out() { op.flags &= LEVEE_RSA_GROUP(1u) - 1; }

    /// Returns the number of elements of k that share a scale, or 0 if all do.
    [[nodiscard]] std::uint32_t group() const
    {
        const unsigned log2 = op.flags >> LEVEE_RSA_GROUP_SHIFT;
        return log2 == 0 ? 0 : 1u << log2;
    }
    [[nodiscard]] std::uint32_t scales_of_column() const
    {
        return static_cast<std::uint32_t>(rsa::groups_of(op.k, group()));
    }
    [[nodiscard]] bool is_transposed() const { return (op.flags & LEVEE_RSA_B_TRANSPOSED) != 0; }

    void fill_output() { std::memset(system_.at(op.out) - 64, 0x5A, out_bytes_ + 128); }
    std::vector<std::uint8_t> output()
    {
        return system_.get<std::uint8_t>(op.out - 64, out_bytes_ + 128);
    }
    /// Returns the bytes that output() must return.
    std::vector<std::uint8_t> expected()
    {
        std::vector<std::uint8_t> bytes(out_bytes_ + 128, 0x5A);
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t m1 = 0; m1 < op.m1; ++m1)
                    for (std::uint32_t m0 = 0; m0 < op.m0; ++m0) {
                        const std::vector<float> row = naive_row(o0, o1, m1, m0);
                        const std::uint64_t at = offset(op.out_stride, o0, o1, m1, m0);
                        std::memcpy(&bytes[64 + at], row.data(), row.size() * sizeof(float));
                    }
        return bytes;
    }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 4, drawn_++) % below; }

    static std::uint64_t offset(const std::int32_t (&stride)[4], std::uint32_t o0, std::uint32_t o1,
                                std::uint32_t m1, std::uint32_t m0)
    {
        return static_cast<std::uint64_t>(
            std::int64_t{stride[0]} * o0 + std::int64_t{stride[1]} * o1 +
            std::int64_t{stride[2]} * m1 + std::int64_t{stride[3]} * m0);
    }

    /// Draws strides of nested loops (outermost first) around `bytes`, with random gaps. Returns
    /// the extent of the whole nest.
    template <std::size_t N>
    std::uint64_t nest(std::int32_t (&stride)[N], const std::uint32_t (&count)[N],
                       std::uint64_t bytes, std::uint64_t unit)
    {
        for (std::size_t level = N; level-- > 0;) {
            bytes = (bytes + unit - 1) / unit * unit + (draw(2) ? 0 : unit * draw(4));
            stride[level] = static_cast<std::int32_t>(bytes);
            bytes *= count[level];
        }
        return bytes;
    }
    std::uint64_t random_bytes(std::uint64_t bytes)
    {
        const std::uint64_t at = system_.take(bytes);
        for (std::uint64_t i = 0; i < bytes; ++i)
            *system_.at(at + i) = static_cast<std::uint8_t>(random_word(seed_, 5, at + i));
        return at;
    }
    std::uint64_t random_floats(std::uint64_t bytes)
    {
        std::vector<float> values((bytes + 3) / 4);
        for (float& value : values)
            value = 0.01f * (unit_interval(random_word(seed_, 6, drawn_++)) - 0.4f);
        return system_.put(values);
    }
    void place_operands()
    {
        const std::uint32_t rows[] = {op.outer[0], op.outer[1], op.m1, op.m0};
        op.a = random_bytes(
            nest(op.a_stride, rows, bytes_of(op.k, op.a_type), alignment_of(op.a_type)));
        const bool transposed = is_transposed();
        const std::uint32_t stored[] = {op.outer[0], op.outer[1], transposed ? op.n : op.k};
        op.b = random_bytes(nest(op.b_stride, stored, bytes_of(transposed ? op.k : op.n, op.b_type),
                                 alignment_of(op.b_type)));
        const bool accumulates = (op.flags & LEVEE_RSA_ACCUMULATE) != 0;
        const std::uint64_t scale_bytes = nest(op.a_scale_stride, rows, 4, 4);
        if (draw(3) != 0)
            op.a_scale = random_floats(scale_bytes);
        const std::uint32_t columns[] = {op.outer[0], op.outer[1], op.n};
        if (group() != 0 || draw(3) != 0)
            op.b_scale = random_floats(nest(op.b_scale_stride, columns, 4 * scales_of_column(), 4));
        if (op.b_scale != 0 && draw(4) == 0)
            op.b_scale_stride[2] = 0; // All columns share one scale.
        if (draw(2))
            op.bias = random_floats(accumulates ? scale_bytes : op.n * 4);
        out_bytes_ = nest(op.out_stride, rows, op.n * 4, 4);
        op.out = system_.take(out_bytes_ + 128) + 64;
    }
    void place_lengths()
    {
        const std::uint32_t longest = op.ragged == LEVEE_RSA_RAGGED_K ? op.k : op.n;
        op.length_add = draw(2) ? 0 : 1;
        std::vector<std::uint32_t> words(40);
        for (std::uint32_t& word : words)
            word = 1 - op.length_add + draw(longest);
        op.lengths = system_.put(words);
        op.lengths_stride[0] = 40;
        op.lengths_stride[1] = 12;
    }

    std::uint32_t length(std::uint32_t o0, std::uint32_t o1) const
    {
        std::uint32_t word = 0;
        std::memcpy(&word, system_.at(op.lengths + o0 * 40 + o1 * 12), 4);
        return word + op.length_add;
    }
    std::span<const std::byte> bytes(std::uint64_t address, std::uint64_t count) const
    {
        return {reinterpret_cast<const std::byte*>(system_.at(address)), count};
    }
    std::span<const float> floats(std::uint64_t address, std::uint64_t count) const
    {
        return {reinterpret_cast<const float*>(system_.at(address)), count};
    }
    /// Sets the bias, or with FACTOR the addend, whose rows are `row` bytes apart.
    void set_addend(std::uint64_t row, rsa::Gemm& gemm) const
    {
        gemm.accumulate = (op.flags & LEVEE_RSA_ACCUMULATE) != 0;
        if (op.bias != 0 && gemm.accumulate)
            gemm.keep = {floats(op.bias + row, 1), 1};
        else if (op.bias != 0)
            gemm.bias = floats(op.bias, gemm.n);
    }
    /// Computes one row of the product by the reference, addressing operands element by element.
    std::vector<float> naive_row(std::uint32_t o0, std::uint32_t o1, std::uint32_t m1,
                                 std::uint32_t m0) const
    {
        rsa::Gemm gemm;
        gemm.m = 1;
        gemm.k = op.ragged == LEVEE_RSA_RAGGED_K ? length(o0, o1) : op.k;
        gemm.n = op.ragged == LEVEE_RSA_RAGGED_N ? length(o0, o1) : op.n;
        const std::uint64_t a_bytes = bytes_of(gemm.k, op.a_type);
        gemm.a = {bytes(op.a + offset(op.a_stride, o0, o1, m1, m0), a_bytes), a_bytes,
                  static_cast<levee_type>(op.a_type)};
        const std::uint32_t stored = is_transposed() ? gemm.n : gemm.k;
        const auto pitch = static_cast<std::uint64_t>(op.b_stride[2]);
        const std::uint64_t row_bytes = bytes_of(is_transposed() ? gemm.k : gemm.n, op.b_type);
        gemm.b = {bytes(op.b + static_cast<std::uint64_t>(op.b_stride[0]) * o0 +
                            static_cast<std::uint64_t>(op.b_stride[1]) * o1,
                        (stored - 1) * pitch + row_bytes),
                  pitch, static_cast<levee_type>(op.b_type)};
        gemm.b_transposed = is_transposed();
        if (op.a_scale != 0)
            gemm.a_scale = {floats(op.a_scale + offset(op.a_scale_stride, o0, o1, m1, m0), 1), 1};
        const auto step = static_cast<std::size_t>(op.b_scale_stride[2] / 4);
        if (op.b_scale != 0)
            gemm.b_scale = {floats(op.b_scale +
                                       static_cast<std::uint64_t>(op.b_scale_stride[0]) * o0 +
                                       static_cast<std::uint64_t>(op.b_scale_stride[1]) * o1,
                                   (gemm.n - 1) * step + scales_of_column()),
                            step};
        gemm.group = group();
        set_addend(offset(op.a_scale_stride, o0, o1, m1, m0), gemm);
        gemm.alpha = op.alpha;
        std::vector<float> out(gemm.n, std::bit_cast<float>(0x5A5A5A5Au)); // fill_output() writes
                                                                           // this initial value.
        gemm.out = out;
        gemm.out_pitch = gemm.n;
        rsa::gemm(gemm);
        return out;
    }

    Bench& system_;
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    std::uint64_t out_bytes_ = 0;
};

} // namespace levee::test
