// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/cpq/random_rows.hpp"

#include <algorithm>

namespace levee::test {

inline constexpr unsigned unit = 0; // number of the block
inline constexpr Picoseconds cycle = 1000;
inline constexpr cpq::Units units{
    .width = 8, .prune = 2, .quantise = 3, .dequantise = 2, .level = 20};
inline constexpr std::uint64_t sz_bytes = 1u << 16;

inline cpq::Config cpq_config(std::uint64_t bytes = sz_bytes)
{
    cpq::Config config;
    config.clock = Clock{1'000'000'000};
    config.units = units;
    config.sz_bytes = bytes;
    config.queue = queue_config;
    return config;
}

struct CpqSystem : Bench {
    cpq::Cpq block;

    explicit CpqSystem(const cpq::Config& config = cpq_config())
        : Bench("bench", {}, 1'024'000'000'000), block("block", config, fabric)
    {
        connect(block.queue);
    }
    std::uint32_t run_one(std::uint8_t opcode, const levee_cpq_operation& op)
    {
        return execute(unit, describe(opcode, op));
    }
    /// Returns the time from the doorbell to the completion signal.
    Picoseconds time(std::uint8_t opcode, const levee_cpq_operation& op)
    {
        levee_descriptor descriptor = describe(opcode, op);
        descriptor.signal_counter[0] = 0;
        descriptor.signal_add[0] = 1;
        const std::uint32_t before = sync.value(0);
        submit(unit, {descriptor});
        const Picoseconds begun = now_ps() - hop;
        while (sync.value(0) == before)
            sc_core::wait(sync.changed(0));
        const Picoseconds taken = now_ps() - begun;
        CHECK(settle(unit));
        return taken;
    }
    std::uint32_t error_field() { return reg(unit, LEVEE_CMD_ERROR_FIELD) - operation_field(0); }
};

/// The shape of a cache: its sequences, rows, vectors and elements.
struct Shape {
    std::uint16_t outer = 1;
    std::uint32_t rows = 1;
    std::uint16_t vectors = 1, vector = 8;

    [[nodiscard]] std::size_t channels() const { return std::size_t{vectors} * vector; }
    [[nodiscard]] std::size_t values() const { return outer * rows * channels(); }
};

/// Writes FP32 rows of `values` and reserves space for their compressed form of 3 bits and up to 4
/// levels.
inline levee_cpq_operation place(Bench& system, const Shape& shape,
                                 const std::vector<float>& values)
{
    levee_cpq_operation op{};
    op.outer = shape.outer;
    op.rows = shape.rows;
    op.vectors = shape.vectors;
    op.vector = shape.vector;
    op.type = LEVEE_TYPE_FP32;
    op.bits = 3;
    op.max_levels = 4;
    op.threshold = 0.5f;
    op.table_step = 1;
    op.data = system.put(values);
    op.data_stride[2] = 4 * shape.vector;
    op.data_stride[1] = shape.vectors * op.data_stride[2];
    op.data_stride[0] = static_cast<std::int32_t>(shape.rows) * op.data_stride[1];
    const auto row =
        static_cast<std::int32_t>(cpq::row_bytes(shape.channels(), shape.channels(), 8, 6));
    op.packed_stride[1] = row;
    op.packed_stride[0] = static_cast<std::int32_t>(shape.rows) * row;
    op.packed = system.take(std::uint64_t{shape.outer} * shape.rows * static_cast<unsigned>(row));
    op.records_stride = static_cast<std::int32_t>(shape.rows * sizeof(levee_cpq_record));
    op.records = system.take(std::uint64_t{shape.outer} * shape.rows * sizeof(levee_cpq_record));
    return op;
}

/// Returns the inverse operation, which expands the rows to FP32 at another place.
inline levee_cpq_operation back_to(Bench& system, const Shape& shape, levee_cpq_operation op)
{
    op.data = system.take(4 * shape.values());
    op.flags = 0;
    return op;
}

} // namespace levee::test
