// SPDX-License-Identifier: Apache-2.0
// Operands and results: their streams, and what functional runs compute.
#include "core/memory/loop_nest.hpp"
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/reram/fields.hpp"
#include "ip/reram/module.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace levee::reram {

namespace {

using Op = levee_reram_operation;

std::uint64_t vectors_of(const Op& op)
{
    return std::uint64_t{op.m1} * op.m0;
}

std::uint64_t result_bytes(const Op& op)
{
    return op.out_type == LEVEE_TYPE_NONE ? sizeof(std::int64_t) : sizeof(float);
}

/// Vectors as function units quantise them; returns the scale.
float quantise(std::span<const float> values, unsigned bits, std::vector<std::int32_t>& codes)
{
    float scale = 0;
    if (bits == 8) {
        std::vector<std::int8_t> small(values.size());
        scale = quantise_int8(values, small);
        codes.assign(small.begin(), small.end());
    } else {
        std::vector<std::int16_t> wide(values.size());
        scale = quantise_int16(values, wide);
        codes.assign(wide.begin(), wide.end());
    }
    return scale;
}

} // namespace

void Reram::open_operand(Operation& operation, Direction direction, std::uint64_t address,
                         std::span<const std::int32_t> strides, const Op& op,
                         std::uint64_t run_bytes, std::uint32_t field)
{
    const auto patterns = patterns_of(address, run_bytes,
                                      {{op.outer[0], strides[0]},
                                       {op.outer[1], strides[1]},
                                       {op.m1, strides[2]},
                                       {op.m0, strides.size() > 3 ? strides[3] : 0}});
    for (const AccessPattern& pattern : patterns)
        queue.add_stream(operation, direction, pattern, pattern.bytes(), field);
}

/// Streams, with the longest of ragged lengths.
void Reram::open(const Op& op, Operation& operation)
{
    const auto longest = [&](levee_reram_ragged ragged, std::uint32_t whole) {
        return op.ragged == ragged ? *std::max_element(lengths_.begin(), lengths_.end()) : whole;
    };
    const std::uint64_t k = longest(LEVEE_RERAM_RAGGED_K, op.k);
    const std::uint64_t n = longest(LEVEE_RERAM_RAGGED_N, op.n);
    if (StreamPorts::is_stream(op.a)) {
        StreamPort* const from = queue.streams().find(op.a);
        need_field(from != nullptr, LEVEE_ERROR_STREAM, offsetof(Op, a));
        upstream_ = &queue.accept(*from);
        need_field(upstream_->streamed() ==
                       std::uint64_t{op.outer[0]} * op.outer[1] * vectors_of(op) * op.k,
                   LEVEE_ERROR_STREAM, offsetof(Op, a));
    } else {
        open_operand(operation, Direction::Read, op.a, op.a_stride, op, bytes_of(k, op.a_type),
                     field_a);
    }
    if (op.a_scale != 0)
        open_operand(operation, Direction::Read, op.a_scale, op.a_scale_stride, op, sizeof(float),
                     field_a_scale);
    const auto open_factors = [&](std::uint64_t address, std::uint32_t field) {
        for (const AccessPattern& pattern : patterns_of(address, sizeof(float),
                                                        {{op.outer[0], op.b_scale_stride[0]},
                                                         {op.outer[1], op.b_scale_stride[1]},
                                                         {n, op.b_scale_stride[2]}}))
            queue.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field);
    };
    if (op.b_scale != 0)
        open_factors(op.b_scale, field_b_scale);
    if (op.bias != 0)
        open_factors(op.bias, field_bias);
    if (StreamPorts::is_stream(op.out))
        queue.produce(operation, op.out, field_out);
    else
        open_operand(operation, Direction::Write, op.out, op.out_stride, op, n * result_bytes(op),
                     field_out);
}

/// What one (o0, o1) has of an operand, or of the results.
View Reram::part_of(std::uint64_t address, std::span<const std::int32_t> strides, const Op& op,
                    std::uint32_t o0, std::uint32_t o1, std::uint64_t run_bytes,
                    std::uint32_t field)
{
    View part{queue, {}, field};
    part.pattern.address = offset_by(offset_by(address, strides[0], o0), strides[1], o1);
    part.pattern.run_bytes = run_bytes;
    part.pattern.count = {1, op.m1, op.m0};
    part.pattern.stride = {0, strides[2], strides[3]};
    return part;
}

void Reram::read_factors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                         std::uint64_t address, std::uint32_t field, std::vector<float>& to)
{
    to.clear();
    if (address == 0)
        return;
    View part{queue, {}, field};
    part.pattern.address =
        offset_by(offset_by(address, op.b_scale_stride[0], o0), op.b_scale_stride[1], o1);
    part.pattern.run_bytes = sizeof(float);
    part.pattern.count[2] = n;
    part.pattern.stride[2] = op.b_scale_stride[2];
    part.read(to);
}

/// Reads the vectors of one (o0, o1). Functional: refuses an input that sign and magnitude of
/// `bits` do not have.
void Reram::take_vectors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t k,
                         unsigned bits, Vectors& vectors)
{
    const std::uint64_t count = vectors_of(op);
    vectors.width = k;
    vectors.scales.clear();
    if (op.a_scale != 0)
        part_of(op.a_scale, op.a_scale_stride, op, o0, o1, sizeof(float), field_a_scale)
            .read(vectors.scales);
    if (upstream_ != nullptr) {
        const std::size_t from = (std::size_t{o0} * op.outer[1] + o1) * count * k;
        vectors.codes.clear();
        for (std::size_t i = 0; i < count && !upstream_->stream.empty(); ++i) {
            std::vector<std::int32_t> codes;
            vectors.scales.push_back(
                quantise(std::span(upstream_->stream).subspan(from + i * k, k), bits, codes));
            vectors.codes.insert(vectors.codes.end(), codes.begin(), codes.end());
        }
        return;
    }
    std::vector<std::uint8_t> bytes;
    const bool has_payload =
        part_of(op.a, op.a_stride, op, o0, o1, bytes_of(k, op.a_type), field_a).read(bytes);
    vectors.codes.resize(has_payload ? count * k : 0);
    const bool is_unsigned = (op.flags & LEVEE_RERAM_UNSIGNED) != 0 && op.n != 0;
    const std::int32_t lowest = -(std::int32_t{1} << (bits - 1));
    for (std::size_t i = 0; i < vectors.codes.size(); ++i) {
        std::int32_t code = static_cast<std::int8_t>(bytes[i]);
        if (op.a_type == LEVEE_TYPE_INT16)
            code = static_cast<std::int16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
        if (is_unsigned)
            code &= (std::int32_t{1} << bits) - 1;
        else if (op.n != 0)
            need_field(code != lowest, LEVEE_ERROR_FIELD, offsetof(Op, a));
        vectors.codes[i] = code;
    }
}

/// One vector through one stage.
void Reram::pass_stage(const Op& op, std::size_t number, std::uint32_t o0, std::uint32_t o1,
                       std::span<const std::int32_t> inputs, std::span<double> sums)
{
    const Stage& stage = stages_[number];
    const bool is_signed = number != 0 || (op.flags & LEVEE_RERAM_UNSIGNED) == 0;
    crossbars_.multiply(place_of(stage, o0, o1),
                        stage.access == LEVEE_RERAM_COLUMNS_SENSED ? Access::Columns : Access::Rows,
                        stage.drive + o1 * stage.drive_stride, inputs,
                        {input_bits(op, number), is_signed}, stage.sense + o1 * stage.sense_stride,
                        sums);
}

/// A vector through all stages; returns the scale of the last sums.
float Reram::pass_stages(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                         std::vector<std::int32_t> inputs, float scale, std::vector<double>& sums)
{
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    std::vector<float> reals;
    for (std::size_t s = 0;; ++s) {
        const bool last = s + 1 == stages_.size();
        sums.resize(last ? n : stages_[s].lines);
        pass_stage(op, s, o0, o1, inputs, sums);
        if (last)
            return scale;
        if (stages_[s].result_bits == 0) {
            inputs.resize(sums.size());
            std::transform(sums.begin(), sums.end(), inputs.begin(), [=](double sum) {
                return static_cast<std::int32_t>(std::clamp(std::nearbyint(sum), -most, most));
            });
            continue;
        }
        reals.resize(sums.size());
        std::transform(sums.begin(), sums.end(), reals.begin(),
                       [&](double sum) { return static_cast<float>(sum) * scale; });
        scale = quantise(reals, stages_[s].result_bits, inputs);
    }
}

/// Appends what a vector's sums are written as, in the systolic array's order of operations
/// (ip/rsa/regs.h). Without a scale it is 1, which changes nothing.
void Reram::append_results(const Op& op, const Vectors& vectors, float scale,
                           std::span<const double> sums, std::vector<std::uint8_t>& results) const
{
    const auto append = [&](const auto& value) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value); // little endian
        results.insert(results.end(), bytes, bytes + sizeof value);
    };
    for (std::size_t j = 0; j < sums.size(); ++j) {
        if (op.out_type == LEVEE_TYPE_NONE) {
            append(static_cast<std::int64_t>(std::nearbyint(sums[j])));
            continue;
        }
        float value = static_cast<float>(sums[j]) * scale;
        if (op.b_scale != 0)
            value *= vectors.b_scale[j];
        if (op.alpha != 1.0f)
            value *= op.alpha;
        if (op.bias != 0)
            value += vectors.bias[j];
        append(canonical(value));
    }
    if (StreamPorts::is_stream(op.out)) // rows of the full width
        results.insert(results.end(), (op.n - sums.size()) * sizeof(float), 0);
}

void Reram::multiply_vectors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                             const Vectors& vectors, std::vector<std::uint8_t>& results)
{
    std::vector<double> sums;
    for (std::size_t i = 0; i < vectors_of(op); ++i) {
        const auto codes = std::span(vectors.codes).subspan(i * vectors.width, vectors.width);
        const float scale = vectors.scales.empty() ? 1.0f : vectors.scales[i];
        const float last = pass_stages(op, o0, o1, n, {codes.begin(), codes.end()}, scale, sums);
        append_results(op, vectors, last, sums, results);
    }
}

void Reram::product(const Op& op, Operation& operation)
{
    open(op, operation);
    std::vector<std::uint8_t> results;
    Vectors vectors;
    const bool streams = StreamPorts::is_stream(op.out);
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            const std::size_t index = std::size_t{o0} * op.outer[1] + o1;
            const std::uint64_t k = op.ragged == LEVEE_RERAM_RAGGED_K ? lengths_[index] : op.k;
            const std::uint64_t n = op.ragged == LEVEE_RERAM_RAGGED_N ? lengths_[index] : op.n;
            take_vectors(op, o0, o1, k, op.a_type == LEVEE_TYPE_INT8 ? 8 : 16, vectors);
            read_factors(op, o0, o1, n, op.b_scale, field_b_scale, vectors.b_scale);
            read_factors(op, o0, o1, n, op.bias, field_bias, vectors.bias);
            if (!vectors.codes.empty())
                multiply_vectors(op, o0, o1, n, vectors, results);
        }
    if (streams) {
        operation.stream_elements =
            std::uint64_t{op.outer[0]} * op.outer[1] * vectors_of(op) * op.n;
        operation.stream.resize(results.size() / sizeof(float));
        std::memcpy(operation.stream.data(), results.data(), results.size());
    } else {
        operation.commit = [this, op, results, lengths = lengths_](std::uint32_t, std::uint32_t) {
            lengths_ = lengths;
            write_results(op, results);
        };
    }
    take_time(op, operation);
}

void Reram::write_results(const Op& op, std::span<const std::uint8_t> results)
{
    std::size_t at = 0;
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            const std::size_t index = std::size_t{o0} * op.outer[1] + o1;
            const std::uint64_t n = op.ragged == LEVEE_RERAM_RAGGED_N ? lengths_[index] : op.n;
            const View part =
                part_of(op.out, op.out_stride, op, o0, o1, n * result_bytes(op), field_out);
            part.write(results, at);
            at += part.pattern.bytes();
        }
}

} // namespace levee::reram
