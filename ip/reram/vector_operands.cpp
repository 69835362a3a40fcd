// SPDX-License-Identifier: Apache-2.0
#include "ip/reram/vector_operands.hpp"

#include "core/memory/loop_nest.hpp"
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"

namespace levee::reram {

namespace {

std::uint64_t result_bytes(const levee_reram_operation& op)
{
    return op.out_type == LEVEE_TYPE_NONE ? sizeof(std::int64_t) : sizeof(float);
}

/// Returns a copy of the operation. For a WRITE by column, the copy's address of A points to the
/// first column that iteration (o0, o1) programs.
levee_reram_operation with_columns_of(const StagedOperation& staged, std::uint32_t o0,
                                      std::uint32_t o1)
{
    levee_reram_operation here = staged.op();
    if (here.n == 0 && (here.flags & LEVEE_RERAM_BY_COLUMN) != 0)
        here.a = offset_by(here.a, here.a_stride[2], staged.first_column(o0, o1));
    return here;
}

} // namespace

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

void VectorOperands::open_operand(Operation& operation, Direction direction, std::uint64_t address,
                                  std::span<const std::int32_t> strides, const Op& op,
                                  std::uint64_t run_bytes, std::uint32_t field)
{
    const auto patterns = patterns_of(address, run_bytes,
                                      {{op.outer[0], strides[0]},
                                       {op.outer[1], strides[1]},
                                       {op.m1, strides[2]},
                                       {op.m0, strides.size() > 3 ? strides[3] : 0}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, pattern.bytes(), field);
}

/// Opens the streams. Ragged operands are streamed with the longest length.
void VectorOperands::open(const StagedOperation& staged, Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    const std::uint64_t k = staged.longest_k(), n = staged.longest_n();
    if (StreamPorts::is_stream(op.a)) {
        StreamPort* const from = queue_.streams().find(op.a);
        need_field(from != nullptr, LEVEE_ERROR_STREAM, offsetof(Op, a));
        upstream_ = &queue_.accept(*from);
        need_field(upstream_->streamed() == staged.products() * staged.vectors() * op.k,
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
            queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field);
    };
    if (op.b_scale != 0)
        open_factors(op.b_scale, field_b_scale);
    if (op.bias != 0)
        open_factors(op.bias, field_bias);
    if (StreamPorts::is_stream(op.out))
        queue_.produce(operation, op.out, field_out);
    else
        open_operand(operation, Direction::Write, op.out, op.out_stride, op, n * result_bytes(op),
                     field_out);
}

/// Returns the part of an operand, or of the results, for one iteration (o0, o1).
View VectorOperands::part_of(std::uint64_t address, std::span<const std::int32_t> strides,
                             const Op& op, std::uint32_t o0, std::uint32_t o1,
                             std::uint64_t run_bytes, std::uint32_t field)
{
    View part{queue_, {}, field};
    part.pattern.address = offset_by(offset_by(address, strides[0], o0), strides[1], o1);
    part.pattern.run_bytes = run_bytes;
    part.pattern.count = {1, op.m1, op.m0};
    part.pattern.stride = {0, strides[2], strides[3]};
    return part;
}

void VectorOperands::read_factors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                                  std::uint64_t address, std::uint32_t field,
                                  std::vector<float>& to)
{
    to.clear();
    if (address == 0)
        return;
    View part{queue_, {}, field};
    part.pattern.address =
        offset_by(offset_by(address, op.b_scale_stride[0], o0), op.b_scale_stride[1], o1);
    part.pattern.run_bytes = sizeof(float);
    part.pattern.count[2] = n;
    part.pattern.stride[2] = op.b_scale_stride[2];
    part.read(to);
}

void VectorOperands::open_columns(const StagedOperation& staged, Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            Op one = with_columns_of(staged, o0, o1);
            one.a = offset_by(offset_by(one.a, op.a_stride[0], o0), op.a_stride[1], o1);
            one.outer[0] = one.outer[1] = 1;
            open_operand(operation, Direction::Read, one.a, one.a_stride, one,
                         bytes_of(op.k, op.a_type), field_a);
            if (op.out != 0)
                scales_of(staged, o0, o1).open(operation, Direction::Write);
        }
    if (op.a_scale != 0)
        open_operand(operation, Direction::Read, op.a_scale, op.a_scale_stride, op, sizeof(float),
                     field_a_scale);
}

View VectorOperands::scales_of(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1)
{
    const levee_reram_operation& op = staged.op();
    View scales{queue_, {}, field_out};
    scales.pattern.address =
        offset_by(offset_by(offset_by(op.out, op.out_stride[0], o0), op.out_stride[1], o1),
                  op.out_stride[2], staged.first_column(o0, o1));
    scales.pattern.run_bytes = sizeof(float);
    scales.pattern.count[2] = op.m1;
    scales.pattern.stride[2] = op.out_stride[2];
    return scales;
}

void VectorOperands::take(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1,
                          Vectors& vectors)
{
    const std::size_t index = std::size_t{o0} * staged.op().outer[1] + o1;
    const Op op = with_columns_of(staged, o0, o1);
    vectors.width = staged.k(index);
    vectors.scales.clear();
    if (op.a_scale != 0)
        part_of(op.a_scale, op.a_scale_stride, op, o0, o1, sizeof(float), field_a_scale)
            .read(vectors.scales);
    if (upstream_ != nullptr)
        accept_vectors(staged, index, vectors);
    else
        read_codes(
            staged,
            part_of(op.a, op.a_stride, op, o0, o1, bytes_of(vectors.width, op.a_type), field_a),
            vectors);
    read_factors(op, o0, o1, staged.n(index), op.b_scale, field_b_scale, vectors.b_scale);
    read_factors(op, o0, o1, staged.n(index), op.bias, field_bias, vectors.bias);
}

/// Reads FP32 vectors from a stream port and quantises them.
void VectorOperands::accept_vectors(const StagedOperation& staged, std::size_t index,
                                    Vectors& vectors)
{
    const std::size_t width = vectors.width, from = index * staged.vectors() * width;
    vectors.codes.clear();
    for (std::size_t i = 0; i < staged.vectors() && !upstream_->stream.empty(); ++i) {
        std::vector<std::int32_t> codes;
        vectors.scales.push_back(
            quantise(std::span(upstream_->stream).subspan(from + i * width, width),
                     staged.input_type_bits(), codes));
        vectors.codes.insert(vectors.codes.end(), codes.begin(), codes.end());
    }
}

void VectorOperands::read_codes(const StagedOperation& staged, const View& part, Vectors& vectors)
{
    const Op& op = staged.op();
    const unsigned bits = staged.input_type_bits();
    std::vector<std::uint8_t> bytes;
    const bool has_payload = part.read(bytes);
    vectors.codes.resize(has_payload ? staged.vectors() * vectors.width : 0);
    const bool is_unsigned = staged.is_unsigned() && op.n != 0;
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

void VectorOperands::write_results(const StagedOperation& staged,
                                   std::span<const std::uint8_t> results)
{
    const levee_reram_operation& op = staged.op();
    std::size_t at = 0;
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            const std::uint64_t n = staged.n(std::size_t{o0} * op.outer[1] + o1);
            const View part =
                part_of(op.out, op.out_stride, op, o0, o1, n * result_bytes(op), field_out);
            part.write(results, at);
            at += part.pattern.bytes();
        }
}

} // namespace levee::reram
