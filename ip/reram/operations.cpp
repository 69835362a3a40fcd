// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/tensor.hpp"
#include "ip/reram/module.hpp"
#include "ip/reram/staged_product.hpp"

#include <cstring>
#include <utility>

namespace levee::reram {

void Reram::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const std::uint8_t opcode = descriptor.opcode;
    if (opcode != LEVEE_RERAM_PRODUCT && opcode != LEVEE_RERAM_WRITE)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    StagedOperation staged(crossbars_, config_.array.units);
    staged.read(queue, opcode);
    operands_.begin();
    opcode == LEVEE_RERAM_PRODUCT ? product(staged, operation) : write(staged, operation);
}

std::optional<unsigned> Reram::operand_of(std::uint32_t field) const
{
    return field == field_a || field == field_a_scale ? std::optional(0u) : std::nullopt;
}

/// Returns the earliest start of the operation's own work. This includes the delay of the
/// producer's first data, which the queue adds only later.
Picoseconds Reram::start_of(const Operation& operation) const
{
    const Picoseconds upstream = operands_.upstream() != nullptr ? operands_.upstream()->lead : 0;
    return now_ps() + (config_.queue.timing.latency ? operation.lead : 0) + upstream;
}

void Reram::product(const StagedOperation& staged, Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    operands_.open(staged, operation);
    StagedProduct products(crossbars_, staged);
    std::vector<std::uint8_t> results;
    Vectors vectors;
    for (std::uint32_t o0 = 0; o0 < op.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op.outer[1]; ++o1) {
            operands_.take(staged, o0, o1, vectors);
            if (!vectors.codes.empty())
                products.multiply(o0, o1, vectors, results);
        }
    if (StreamPorts::is_stream(op.out)) {
        operation.stream_elements = staged.products() * staged.vectors() * op.n;
        operation.stream.resize(results.size() / sizeof(float));
        std::memcpy(operation.stream.data(), results.data(), results.size());
    } else {
        operation.commit = [this, staged, results](std::uint32_t, std::uint32_t) {
            operands_.write_results(staged, results);
        };
    }
    times_.take_product(staged, start_of(operation), operation);
}

void Reram::write(const StagedOperation& staged, Operation& operation)
{
    const levee_reram_operation& op = staged.op();
    const levee_reram_stage& stage = staged.stages().front();
    need_field(staged.input_type_bits() <= stage.bits, LEVEE_ERROR_TYPE,
               offsetof(levee_reram_operation, a_type));
    operands_.open_columns(staged, operation);
    std::vector<Vectors> all(staged.products());
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        operands_.take(staged, i / op.outer[1], i % op.outer[1], all[i]);
        for (const std::int32_t code : all[i].codes)
            need_field(crossbars_.crossbar().holds(code, stage.bits), LEVEE_ERROR_FIELD,
                       offsetof(levee_reram_operation, a));
    }
    operation.commit = [this, staged, all = std::move(all)](std::uint32_t, std::uint32_t) {
        const std::uint32_t heads = staged.op().outer[1];
        for (std::uint32_t i = 0; i < all.size(); ++i)
            write_columns(staged, i / heads, i % heads, all[i]);
    };
    times_.take_write(staged, start_of(operation), operation);
}

/// Writes the columns of one iteration (o0, o1) and their scales.
void Reram::write_columns(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1,
                          const Vectors& vectors)
{
    const levee_reram_operation& op = staged.op();
    const levee_reram_stage& stage = staged.stages().front();
    const std::uint32_t first = staged.first_column(o0, o1);
    const std::uint32_t line = stage.drive + o1 * stage.drive_stride;
    const MatrixPlace place = staged.place_of(stage, o0, o1);
    for (std::uint32_t m = 0; m < op.m1; ++m) {
        if (vectors.codes.empty())
            crossbars_.count_column(place, first + m, line, op.k);
        else
            crossbars_.write_column(place, first + m, line,
                                    std::span(vectors.codes).subspan(std::size_t{m} * op.k, op.k));
    }
    if (op.out != 0)
        operands_.scales_of(staged, o0, o1).write(vectors.scales);
}

} // namespace levee::reram
