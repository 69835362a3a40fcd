// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/sfu/model.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/codes.hpp"
#include "test/unit/blocks/halves.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace levee::test {

/// A random operation with its operands in the system's memory, and a naive evaluation of it.
class Vectors {
public:
    levee_sfu_operation op{};
    std::uint8_t opcode;

    Vectors(Bench& system, std::uint8_t code, std::uint32_t seed)
        : opcode(code), system_(system), seed_(seed)
    {
        op.outer[0] = static_cast<std::uint16_t>(1 + draw(3));
        op.outer[1] = static_cast<std::uint16_t>(1 + draw(4));
        op.rows = static_cast<std::uint16_t>(1 + draw(4));
        op.n = 2 * (2 + draw(20));
        op.param = code == LEVEE_SFU_SAMPLE ? 0.7f : is_softmax() ? 0.35f * draw(2) : 1e-5f;
        op.seed = draw(1000);
        op.x_type = half_or_float();
        if (code == LEVEE_SFU_EMBED)
            place_table();
        else
            op.x = random_vectors(op.x_type, op.x_stride);
        place_second();
        if (code == LEVEE_SFU_RMS_NORM || code == LEVEE_SFU_LAYER_NORM) {
            op.gain = draw(2) ? random_floats(4ull * op.n) : 0;
            op.bias = draw(2) ? random_floats(4ull * op.n) : 0;
        }
        place_tables();
        place_output();
    }

    void fill_output()
    {
        if (is_running()) {
            std::memcpy(system_.at(op.gain), running_.data(), 2 * scale_bytes_);
            std::memset(system_.at(op.bias), 0x5A, scale_bytes_);
        }
        std::memset(system_.at(op.out) - 64, 0x5A, out_bytes_ + 128);
        if (op.out_scale != 0)
            std::memset(system_.at(op.out_scale), 0x5A, scale_bytes_);
    }
    std::vector<std::uint8_t> output() const
    {
        auto bytes = system_.get<std::uint8_t>(op.out - 64, out_bytes_ + 128);
        const auto scales =
            system_.get<std::uint8_t>(op.out_scale, op.out_scale ? scale_bytes_ : 0);
        bytes.insert(bytes.end(), scales.begin(), scales.end());
        const auto running =
            system_.get<std::uint8_t>(op.gain, is_running() ? 2 * scale_bytes_ : 0);
        bytes.insert(bytes.end(), running.begin(), running.end());
        const auto keep = system_.get<std::uint8_t>(op.bias, is_running() ? scale_bytes_ : 0);
        bytes.insert(bytes.end(), keep.begin(), keep.end());
        return bytes;
    }
    std::vector<std::uint8_t> expected() const
    {
        std::vector<std::uint8_t> bytes(out_bytes_ + 128 + (op.out_scale ? scale_bytes_ : 0), 0x5A);
        if (is_running()) {
            const auto* const first = reinterpret_cast<const std::uint8_t*>(running_.data());
            bytes.insert(bytes.end(), first, first + 2 * scale_bytes_);
            bytes.insert(bytes.end(), scale_bytes_, 0x5A);
        }
        std::uint64_t vector = 0;
        for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
            for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1)
                for (std::uint32_t row = 0; row < op.rows; ++row)
                    evaluate(o0, o1, row, vector++, bytes);
        return bytes;
    }
    /// Returns whether the operation converts vectors of heads, and so can multiply them by a
    /// Hadamard matrix.
    bool is_positioned() const { return opcode == LEVEE_SFU_ROPE || opcode == LEVEE_SFU_QUANTISE; }
    bool is_pick() const { return opcode >= LEVEE_SFU_ARGMAX && opcode <= LEVEE_SFU_LOG_PROB; }
    bool is_running() const
    {
        return opcode == LEVEE_SFU_SOFTMAX_PART || opcode == LEVEE_SFU_SOFTMAX_KNOWN;
    }
    bool has_second_rows() const
    {
        return opcode == LEVEE_SFU_SILU_MUL || opcode == LEVEE_SFU_ADD ||
               opcode == LEVEE_SFU_GELU_MUL || opcode == LEVEE_SFU_GELU_TANH_MUL ||
               opcode == LEVEE_SFU_RELU_MUL || opcode == LEVEE_SFU_CLAMPED_MUL;
    }
    bool is_softmax() const { return opcode == LEVEE_SFU_SOFTMAX || is_running(); }
    std::uint64_t vectors() const { return std::uint64_t{op.outer[0]} * op.outer[1] * op.rows; }

private:
    std::uint32_t draw(std::uint32_t below) { return random_word(seed_, 4, drawn_++) % below; }

    /// Draws strides of loops around a vector of `bytes`, with random gaps. Returns the extent of
    /// the whole nest.
    std::uint64_t nest(std::int32_t (&stride)[3], std::uint64_t bytes, std::uint64_t unit,
                       std::uint32_t extra_rows = 0)
    {
        const std::uint32_t count[] = {op.outer[0], op.outer[1], op.rows + extra_rows};
        for (std::size_t level = 3; level-- > 0;) {
            bytes += draw(2) ? 0 : unit * draw(4);
            stride[level] = static_cast<std::int32_t>(bytes);
            bytes *= count[level];
        }
        return bytes;
    }
    std::uint64_t random_floats(std::uint64_t bytes)
    {
        std::vector<float> values(bytes / 4);
        for (float& value : values)
            value = 6.0f * (unit_interval(random_word(seed_, 6, drawn_++)) - 0.4f);
        return system_.put(values);
    }
    std::uint8_t half_or_float()
    {
        return random_word(seed_, 8, types_drawn_++) % 2 ? LEVEE_TYPE_FP16 : LEVEE_TYPE_FP32;
    }
    std::uint64_t random_vectors(unsigned type, std::int32_t (&stride)[3])
    {
        const std::uint64_t bytes = nest(stride, bytes_of(op.n, type), alignment_of(type));
        return type == LEVEE_TYPE_FP32
                   ? random_floats(bytes)
                   : system_.put(halves_of(load<float>(random_floats(2 * bytes), bytes / 2)));
    }
    std::vector<float> load_vector(unsigned type, std::uint64_t address) const
    {
        return type == LEVEE_TYPE_FP16 ? floats_of(load<std::uint16_t>(address, op.n))
                                       : load<float>(address, op.n);
    }
    std::uint64_t random_words(std::size_t count, std::uint32_t least, std::uint32_t below)
    {
        std::vector<std::uint32_t> words(count);
        std::ranges::generate(words, [&] { return least + draw(below - least); });
        return system_.put(words);
    }
    void place_table()
    {
        op.x_type = std::array{LEVEE_TYPE_INT4, LEVEE_TYPE_INT8, LEVEE_TYPE_INT3, LEVEE_TYPE_FP16,
                               LEVEE_TYPE_FP32}[draw(5)];
        if (is_weight_code(op.x_type) && draw(2) != 0)
            op.block_log2 = static_cast<std::uint8_t>(LEVEE_SFU_MIN_GROUP_LOG2 + draw(4));
        op.x_stride[2] = static_cast<std::int32_t>(bytes_of(op.n, op.x_type) +
                                                   alignment_of(op.x_type) * draw(3));
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(op.x_stride[2]) * table_rows);
        std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(draw(256)); });
        op.x = system_.put(bytes);
        op.gain = random_floats(4 * table_rows * scales_of_row());
    }
    std::uint32_t group() const { return op.block_log2 == 0 ? 0 : 1u << op.block_log2; }
    std::uint32_t scales_of_row() const { return group() == 0 ? 1 : (op.n - 1) / group() + 1; }
    void place_second()
    {
        if (has_second_rows())
            place_second_rows();
        if (opcode == LEVEE_SFU_ROPE) {
            op.y = random_words(op.n / 2, 0, 0xFFFF'FFFF);
            op.seed = draw(2) ? 2 * draw(op.n / 2 + 1) : 0;
            op.flags |= draw(2) ? LEVEE_SFU_ROPE_HALVES : 0;
        }
        if (is_positioned() && random_word(seed_, 13, 0) % 2 != 0)
            op.block_log2 = static_cast<std::uint8_t>(std::countr_zero(op.n));
        if (is_positioned() && draw(2)) {
            op.gain = random_floats(4ull * op.n);
            op.param = 1e-5f;
        }
        if ((is_softmax() || is_pick()) && draw(2))
            op.cap = 1.0f + static_cast<float>(draw(8));
        if (opcode == LEVEE_SFU_CLAMPED_MUL) {
            op.cap = 0.5f + static_cast<float>(draw(3));
            op.param = 1.7f;
        }
        if (opcode == LEVEE_SFU_SOFTMAX_PART && draw(3) == 0)
            op.flags |= LEVEE_SFU_FIRST;
        if (is_softmax()) {
            op.group = static_cast<std::uint8_t>(draw(4));
            if (draw(2)) { // Each element has its own factor, a few bytes apart.
                op.y_stride[2] = static_cast<std::int32_t>(4 * (1 + draw(3)));
                op.y_stride[1] = op.y_stride[2] * static_cast<std::int32_t>(op.n);
                op.y_stride[0] = 4 * op.y_stride[1];
                op.y = random_floats(3ull * static_cast<std::uint64_t>(op.y_stride[0]));
            }
        }
        if (opcode == LEVEE_SFU_EMBED && draw(2)) {
            op.y_stride[2] = static_cast<std::int32_t>(4 * (op.n + draw(3)));
            op.y = random_floats(static_cast<std::uint64_t>(op.y_stride[2]) * table_rows);
        }
    }
    void place_second_rows()
    {
        const std::uint8_t type = half_or_float();
        op.y_type = type == LEVEE_TYPE_FP16 || half_or_float() == LEVEE_TYPE_FP16
                        ? type
                        : std::uint8_t{LEVEE_TYPE_NONE};
        op.y = random_vectors(type, op.y_stride);
    }
    void place_tables()
    {
        constexpr std::size_t words = 64;
        if (is_softmax()) // This sets a window.
            op.seed = draw(2) ? 1 + draw(op.n + 4) : 0;
        if (is_softmax() && draw(2)) {
            if (draw(2) && op.n >= op.rows)
                op.flags |= LEVEE_SFU_CAUSAL;
            const bool beyond = op.seed != 0 && (op.flags & LEVEE_SFU_TAP_LISTED) == 0;
            op.length_add = draw(2);
            op.lengths = random_words(words, beyond ? 1 : op.rows,
                                      std::max(op.n, op.rows + 1u) + (beyond ? draw(9) : 0));
            op.lengths_stride[0] = 16;
            op.lengths_stride[1] = 4;
        }
        const bool takes_sinks = opcode == LEVEE_SFU_SOFTMAX || (op.flags & LEVEE_SFU_FIRST) != 0;
        if ((takes_sinks || opcode == LEVEE_SFU_SAMPLE) && draw(2)) {
            op.positions = random_floats(words * 4); // These are sinks or temperatures.
            op.positions_stride[0] = 20;
            op.positions_stride[1] = 4;
        }
        if (opcode == LEVEE_SFU_ROPE || opcode == LEVEE_SFU_EMBED) {
            op.positions = random_words(words, 0, table_rows - op.rows);
            op.positions_stride[0] = 20;
            op.positions_stride[1] = 4;
        }
        if (opcode == LEVEE_SFU_EMBED || opcode == LEVEE_SFU_LOG_PROB) {
            op.indices = random_words(words, 0, std::min(op.n, table_rows));
            op.indices_stride[0] = 64;
            op.indices_stride[1] = 16;
            op.indices_stride[2] = 4;
        } else if (draw(3) == 0) {
            op.flags |= LEVEE_SFU_SCATTER;
            op.indices = random_words(words, 0, scatter_rows);
            op.indices_stride[0] = 16;
            op.indices_stride[1] = 4;
        }
    }
    void place_output()
    {
        op.out_type = draw(2) ? integer_type(random_word(seed_, 12, drawn_)) : half_or_float();
        const std::uint64_t bytes =
            is_pick() ? sizeof(levee_sfu_pick) : bytes_of(op.n, op.out_type);
        const std::uint32_t extra = (op.flags & LEVEE_SFU_SCATTER) ? scatter_rows : 0;
        out_bytes_ = nest(op.out_stride, bytes, 4, extra);
        op.out = system_.take(out_bytes_ + 128) + 64;
        const bool coded = !is_pick() && is_coded(op.out_type);
        if (coded || is_running())
            scale_bytes_ = nest(op.out_scale_stride, 4, 4, extra);
        if (coded)
            op.out_scale = system_.take(scale_bytes_);
        if (is_running())
            place_running();
    }
    void place_running()
    {
        running_.resize(2 * scale_bytes_ / 4);
        for (float& value : running_)
            value = 0.5f + 4.0f * unit_interval(random_word(seed_, 11, drawn_++));
        op.gain = system_.put(running_);
        op.bias = system_.take(scale_bytes_);
    }

    template <typename T> std::vector<T> load(std::uint64_t address, std::size_t count) const
    {
        return system_.get<T>(address, count);
    }
    template <typename Stride>
    std::uint32_t word(std::uint64_t table, const Stride* stride, std::uint32_t o0,
                       std::uint32_t o1) const
    {
        return load<std::uint32_t>(table + o0 * stride[0] + o1 * stride[1], 1)[0];
    }
    template <std::size_t N>
    static std::uint64_t offset(const std::int32_t (&stride)[N], std::uint32_t o0, std::uint32_t o1,
                                std::uint32_t row)
    {
        return static_cast<std::uint64_t>(std::int64_t{stride[0]} * o0 +
                                          std::int64_t{stride[1]} * o1 +
                                          std::int64_t{stride[2]} * row);
    }

    void evaluate(std::uint32_t o0, std::uint32_t o1, std::uint32_t row, std::uint64_t vector,
                  std::vector<std::uint8_t>& bytes) const
    {
        const std::uint32_t scatter =
            (op.flags & LEVEE_SFU_SCATTER) ? word(op.indices, op.indices_stride, o0, o1) : 0;
        const std::uint64_t at = 64 + offset(op.out_stride, o0, o1, row + scatter);
        if (is_pick()) {
            const levee_sfu_pick pick = evaluate_pick(o0, o1, row, vector);
            std::memcpy(&bytes[at], &pick, sizeof pick);
            return;
        }
        std::vector<float> result =
            is_running() ? evaluate_running(o0, o1, row, bytes) : evaluate_vector(o0, o1, row);
        if (is_positioned() && op.block_log2 != 0)
            sfu::hadamard(result, std::size_t{1} << op.block_log2);
        if (op.out_type == LEVEE_TYPE_FP32) {
            std::memcpy(&bytes[at], result.data(), 4 * result.size());
            return;
        }
        if (op.out_type == LEVEE_TYPE_FP16) {
            std::memcpy(&bytes[at], halves_of(result).data(), 2 * result.size());
            return;
        }
        const float scale = quantised(result, op.out_type, &bytes[at]);
        std::memcpy(&bytes[out_bytes_ + 128 + offset(op.out_scale_stride, o0, o1, row + scatter)],
                    &scale, 4);
    }
    /// Returns the softmax's initial state: a sink, or nothing.
    sfu::Running before(std::uint32_t o0, std::uint32_t o1) const
    {
        if (op.positions == 0)
            return {};
        return sfu::running_of_sink(position_float(o0, o1));
    }
    float position_float(std::uint32_t o0, std::uint32_t o1) const
    {
        return load<float>(op.positions + o0 * op.positions_stride[0] + o1 * op.positions_stride[1],
                           1)
            .front();
    }
    /// Evaluates SOFTMAX_PART and SOFTMAX_KNOWN. SOFTMAX_PART also writes its running sums.
    std::vector<float> evaluate_running(std::uint32_t o0, std::uint32_t o1, std::uint32_t row,
                                        std::vector<std::uint8_t>& bytes) const
    {
        std::vector<float> out(op.n);
        const auto x = capped(
            scaled(load_vector(op.x_type, op.x + offset(op.x_stride, o0, o1, row)), op.param));
        const std::uint64_t at = offset(op.out_scale_stride, o0, o1, row);
        sfu::Running running{running_[2 * at / 4], running_[2 * at / 4 + 1]};
        const auto [first, length, factors] = operands_of_softmax(o0, o1, row);
        const auto seen = std::span(x).subspan(first, length);
        const auto results = std::span(out).subspan(first, length);
        if (opcode == LEVEE_SFU_SOFTMAX_KNOWN) {
            sfu::softmax_known(seen, length, running, {factors, 1}, results);
            return out;
        }
        const bool is_first = (op.flags & LEVEE_SFU_FIRST) != 0;
        if (is_first)
            running = before(o0, o1);
        const float kept = sfu::softmax_part(seen, length, running, {factors, 1}, results);
        const float keep = is_first ? 0.0f : kept;
        std::uint8_t* const sums = bytes.data() + bytes.size() - 3 * scale_bytes_;
        std::memcpy(sums + 2 * at, &running.maximum, 4);
        std::memcpy(sums + 2 * at + 4, &running.sum, 4);
        std::memcpy(sums + 2 * scale_bytes_ + at, &keep, 4);
        return out;
    }
    std::vector<float> capped(std::vector<float> x) const
    {
        if (op.cap != 0.0f)
            sfu::soft_cap(x, op.cap, x);
        return x;
    }
    std::vector<float> normalised(std::vector<float> x) const
    {
        if (op.gain != 0)
            sfu::rms_norm(x, load<float>(op.gain, op.n), op.param, x);
        return x;
    }
    levee_sfu_pick evaluate_pick(std::uint32_t o0, std::uint32_t o1, std::uint32_t row,
                                 std::uint64_t vector) const
    {
        const auto x = capped(load_vector(op.x_type, op.x + offset(op.x_stride, o0, o1, row)));
        if (opcode == LEVEE_SFU_ARGMAX)
            return sfu::argmax(x);
        if (opcode == LEVEE_SFU_SAMPLE)
            return sfu::sample(x, op.positions == 0 ? op.param : position_float(o0, o1), op.seed,
                               vector);
        return sfu::log_prob(
            x, word(op.indices + row * op.indices_stride[2], op.indices_stride, o0, o1));
    }
    std::vector<float> evaluate_vector(std::uint32_t o0, std::uint32_t o1, std::uint32_t row) const
    {
        std::vector<float> out(op.n);
        if (opcode == LEVEE_SFU_EMBED) {
            embed(o0, o1, row, out);
            return out;
        }
        const auto x = load_vector(op.x_type, op.x + offset(op.x_stride, o0, o1, row));
        apply(x, o0, o1, row, out);
        return out;
    }
    void apply(const std::vector<float>& x, std::uint32_t o0, std::uint32_t o1, std::uint32_t row,
               std::vector<float>& out) const
    {
        const auto vector = [&](std::uint64_t address) {
            return load<float>(address, address ? op.n : 0);
        };
        const auto y = [&] {
            return load_vector(op.y_type, op.y + offset(op.y_stride, o0, o1, row));
        };
        switch (opcode) {
        case LEVEE_SFU_RMS_NORM:
            return sfu::rms_norm(x, vector(op.gain), op.param, out);
        case LEVEE_SFU_LAYER_NORM:
            return sfu::layer_norm(x, vector(op.gain), vector(op.bias), op.param, out);
        case LEVEE_SFU_ROPE:
            return sfu::rope(normalised(x),
                             load<std::uint32_t>(op.y, (op.seed ? op.seed : op.n) / 2),
                             word(op.positions, op.positions_stride, o0, o1) + row,
                             (op.flags & LEVEE_SFU_ROPE_HALVES) != 0, out);
        case LEVEE_SFU_SOFTMAX: {
            const auto [first, length, factors] = operands_of_softmax(o0, o1, row);
            const std::vector<float> scores = capped(scaled(x, op.param));
            return sfu::softmax(std::span(scores).subspan(first, length), length, {factors, 1},
                                std::span(out).subspan(first, length), before(o0, o1));
        }
        case LEVEE_SFU_SILU_MUL:
            return sfu::silu_mul(x, y(), out);
        case LEVEE_SFU_GELU:
            return sfu::gelu(x, out);
        case LEVEE_SFU_GELU_MUL:
            return sfu::gelu_mul(x, y(), out);
        case LEVEE_SFU_GELU_TANH:
            return sfu::gelu_tanh(x, out);
        case LEVEE_SFU_GELU_TANH_MUL:
            return sfu::gelu_tanh_mul(x, y(), out);
        case LEVEE_SFU_RELU:
            return sfu::relu(x, out);
        case LEVEE_SFU_RELU_MUL:
            return sfu::relu_mul(x, y(), out);
        case LEVEE_SFU_CLAMPED_MUL:
            return sfu::clamped_mul(x, y(), {op.cap, op.param}, out);
        case LEVEE_SFU_RELU_SQUARED:
            return sfu::relu_squared(x, out);
        case LEVEE_SFU_ADD:
            return sfu::add(x, y(), out);
        default:
            out = normalised(x);
        }
    }
    /// The elements to which a row attends, and their factors.
    struct SoftmaxOperands {
        std::uint32_t first, length;
        std::vector<float> factors;
    };
    SoftmaxOperands operands_of_softmax(std::uint32_t o0, std::uint32_t o1, std::uint32_t row) const
    {
        const std::uint32_t head = op.group == 0 ? o1 : o1 / op.group;
        const bool taps = (op.flags & LEVEE_SFU_TAP_LISTED) != 0;
        const std::int64_t window = taps || op.seed == 0 ? INT64_MAX / 2 : op.seed;
        std::int64_t length = window == op.seed ? std::int64_t{op.n} + op.length_add : op.n;
        if (op.lengths != 0)
            length = std::int64_t{word(op.lengths, op.lengths_stride, o0, head)} + op.length_add;
        if (op.flags & LEVEE_SFU_CAUSAL)
            length = length - op.rows + 1 + row;
        SoftmaxOperands seen{};
        for (std::int64_t i = 0; i < op.n; ++i) {
            if (i >= length || i < length - window)
                continue;
            if (seen.length++ == 0)
                seen.first = static_cast<std::uint32_t>(i);
            if (op.y != 0)
                seen.factors.push_back(load<float>(
                    op.y + offset(op.y_stride, o0, head, static_cast<std::uint32_t>(i)), 1)[0]);
        }
        return seen;
    }
    void embed(std::uint32_t o0, std::uint32_t o1, std::uint32_t row, std::vector<float>& out) const
    {
        const std::uint32_t index =
            word(op.indices + row * op.indices_stride[2], op.indices_stride, o0, o1);
        const std::uint32_t position = word(op.positions, op.positions_stride, o0, o1) + row;
        const auto table =
            load<std::byte>(op.x + offset(op.x_stride, 0, 0, index), bytes_of(op.n, op.x_type));
        const auto y = load<float>(op.y + offset(op.y_stride, 0, 0, position), op.y ? op.n : 0);
        const std::uint32_t scales = is_weight_code(op.x_type) ? scales_of_row() : 0;
        sfu::embed(table, static_cast<levee_type>(op.x_type),
                   load<float>(op.gain + 4 * scales * index, scales), group(), y, out);
    }

    static constexpr std::uint32_t table_rows = 20;
    static constexpr std::uint32_t scatter_rows = 9;

    Bench& system_;
    std::vector<float> running_; // Running values before the operation starts.
    std::uint32_t seed_;
    std::uint64_t drawn_ = 0;
    std::uint64_t types_drawn_ = 0;
    std::uint64_t out_bytes_ = 0;
    std::uint64_t scale_bytes_ = 0;
};

} // namespace levee::test
