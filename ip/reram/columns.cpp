// SPDX-License-Identifier: Apache-2.0
// Programming columns: their operands, and what is stored.
#include "core/numerics/tensor.hpp"
#include "ip/reram/fields.hpp"
#include "ip/reram/module.hpp"

namespace levee::reram {

/// The columns of one (o0, o1), and their scales.
void Reram::write_columns(const Op& op, std::uint32_t o0, std::uint32_t o1, Vectors& vectors)
{
    const Stage& stage = stages_.front();
    const std::uint32_t first = first_column(op, o0, o1);
    const std::uint32_t line = stage.drive + o1 * stage.drive_stride;
    const MatrixPlace place = place_of(stage, o0, o1);
    for (std::uint32_t m = 0; m < op.m1; ++m) {
        if (vectors.codes.empty())
            crossbars_.count_column(place, first + m, line, op.k);
        else
            crossbars_.write_column(place, first + m, line,
                                    std::span(vectors.codes).subspan(std::size_t{m} * op.k, op.k));
    }
    if (op.out != 0)
        scales_of(op, o0, o1).write(vectors.scales);
}

/// The first column that (o0, o1) programs.
std::uint32_t Reram::first_column(const Op& op, std::uint32_t o0, std::uint32_t o1) const
{
    const Stage& stage = stages_.front();
    return lengths_.empty() ? stage.sense + o1 * stage.sense_stride
                            : lengths_[std::size_t{o0} * op.outer[1] + o1];
}

/// Where the scales of the columns of (o0, o1) go.
View Reram::scales_of(const Op& op, std::uint32_t o0, std::uint32_t o1)
{
    View scales{queue, {}, field_out};
    scales.pattern.address =
        offset_by(offset_by(offset_by(op.out, op.out_stride[0], o0), op.out_stride[1], o1),
                  op.out_stride[2], first_column(op, o0, o1));
    scales.pattern.run_bytes = sizeof(float);
    scales.pattern.count[2] = op.m1;
    scales.pattern.stride[2] = op.out_stride[2];
    return scales;
}

/// The operation with A where the vectors of (o0, o1) are.
Reram::Op Reram::with_columns_of(const Op& op, std::uint32_t o0, std::uint32_t o1) const
{
    Op here = op;
    if ((op.flags & LEVEE_RERAM_BY_COLUMN) != 0)
        here.a = offset_by(op.a, op.a_stride[2], first_column(op, o0, o1));
    return here;
}

void Reram::open_columns(const Op& op, Operation& operation)
{
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            Op one = with_columns_of(op, o0, o1);
            one.a = offset_by(offset_by(one.a, op.a_stride[0], o0), op.a_stride[1], o1);
            one.outer[0] = one.outer[1] = 1;
            open_operand(operation, Direction::Read, one.a, one.a_stride, one,
                         bytes_of(op.k, op.a_type), field_a);
            if (op.out != 0)
                scales_of(op, o0, o1).open(operation, Direction::Write);
        }
    if (op.a_scale != 0)
        open_operand(operation, Direction::Read, op.a_scale, op.a_scale_stride, op, sizeof(float),
                     field_a_scale);
}

void Reram::write(const Op& op, Operation& operation)
{
    const Stage& stage = stages_.front();
    const unsigned bits = op.a_type == LEVEE_TYPE_INT8 ? 8 : 16;
    need_field(bits <= stage.bits, LEVEE_ERROR_TYPE, offsetof(Op, a_type));
    open_columns(op, operation);
    std::vector<Vectors> all(std::size_t{op.outer[0]} * op.outer[1]);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        const std::uint32_t o0 = i / op.outer[1], o1 = i % op.outer[1];
        take_vectors(with_columns_of(op, o0, o1), o0, o1, op.k, bits, all[i]);
        for (const std::int32_t code : all[i].codes)
            need_field(crossbars_.crossbar().holds(code, stage.bits), LEVEE_ERROR_FIELD,
                       offsetof(Op, a));
    }
    operation.commit = [this, op, all = std::move(all), lengths = lengths_,
                        stages = stages_](std::uint32_t, std::uint32_t) mutable {
        lengths_ = lengths;
        stages_ = stages;
        for (std::uint32_t i = 0; i < all.size(); ++i)
            write_columns(op, i / op.outer[1], i % op.outer[1], all[i]);
    };
    take_write_time(op, operation);
}

} // namespace levee::reram
