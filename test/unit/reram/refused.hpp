// SPDX-License-Identifier: Apache-2.0
// Operations that crossbars refuse, and the field that the error must name.
#pragma once

#include "test/unit/reram/reram_bench.hpp"

namespace levee::test {

inline void refuse(ReramBench& bench, unsigned block, std::uint8_t opcode,
                   const levee_reram_operation& op, std::size_t member,
                   std::uint32_t code = LEVEE_ERROR_FIELD)
{
    CHECK(bench.run_one(block, opcode, op) == code);
    CHECK(bench.reg(block, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
    bench.set_reg(block, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
}

inline void check_refused_stages(ReramBench& bench, unsigned block,
                                 const levee_reram_operation& good, const levee_reram_stage& stage)
{
    const auto with_stage = [&](auto&& change) {
        levee_reram_stage changed = stage;
        change(changed);
        levee_reram_operation op = good;
        op.stages = bench.put(std::vector<levee_reram_stage>{changed});
        refuse(bench, block, LEVEE_RERAM_PRODUCT, op, offsetof(levee_reram_operation, stages));
    };
    with_stage([](auto& s) { s.unit = 128; });
    with_stage([](auto& s) { s.bits = 4; });
    with_stage([](auto& s) { s.access = 2; });
    with_stage([](auto& s) { s.drive = 1; });
    with_stage([](auto& s) { s.sense = 1; });
    with_stage([](auto& s) { s.result_bits = 8; });
    with_stage([](auto& s) { s.rows = 0; });
}

/// Checks matrices of 2 units each, selected by o0 and o1. They may be identical or adjacent, but
/// not overlap.
inline void check_refused_strides(ReramBench& bench, unsigned block)
{
    levee_reram_stage stage = stage_of(0, 12, 12, 16, LEVEE_RERAM_COLUMNS_SENSED);
    levee_reram_operation op = product_of(bench, {stage}, 1, 12, LEVEE_TYPE_INT8);
    op.a = bench.put(std::vector<std::int8_t>(12, 1));
    op.out = bench.take(6 * 12 * 8);
    op.out_stride[0] = 3 * 12 * 8;
    op.out_stride[1] = 12 * 8;
    const auto with_strides = [&](std::uint16_t o0, std::uint16_t o1, std::uint32_t first,
                                  std::uint32_t second, bool good) {
        INFO(o0 << " by " << o1 << ", strides of " << first << " and " << second);
        op.outer[0] = o0;
        op.outer[1] = o1;
        stage.unit_stride[0] = first;
        stage.unit_stride[1] = second;
        op.stages = bench.put(std::vector{stage});
        if (good)
            CHECK(bench.run_one(block, LEVEE_RERAM_PRODUCT, op) == LEVEE_ERROR_NONE);
        else
            refuse(bench, block, LEVEE_RERAM_PRODUCT, op, offsetof(levee_reram_operation, stages));
    };
    with_strides(2, 1, 1, 0, false); // Half of the next matrix overlaps the first one.
    with_strides(2, 1, 2, 0, true);
    with_strides(1, 3, 1, 2, true); // There is only one o0.
    with_strides(2, 3, 0, 2, true);
    with_strides(2, 3, 2, 2, false); // Whole matrices are shared.
    with_strides(3, 2, 4, 6, false); // Interleaved matrices share no unit.
    with_strides(2, 3, 5, 2, false);
    with_strides(2, 3, 6, 2, true);
    with_strides(2, 3, 2, 4, true);
}

inline void check_refused_products(ReramBench& bench, unsigned block,
                                   const levee_reram_operation& good)
{
    using Op = levee_reram_operation;
    const auto changed = [&](auto&& change) {
        Op op = good;
        change(op);
        return op;
    };
    refuse(bench, block, LEVEE_RERAM_PRODUCT, changed([](Op& op) { op.n = 11; }), offsetof(Op, n));
    refuse(bench, block, LEVEE_RERAM_PRODUCT, changed([](Op& op) { op.a_type = LEVEE_TYPE_FP32; }),
           offsetof(Op, a_type), LEVEE_ERROR_TYPE);
    refuse(bench, block, LEVEE_RERAM_PRODUCT, changed([](Op& op) { op.stages = 0x12; }),
           offsetof(Op, stages), LEVEE_ERROR_ADDRESS);
    Op op = good;
    op.a = bench.put(std::vector<std::int8_t>(24, -128));
    refuse(bench, block, LEVEE_RERAM_PRODUCT, op, offsetof(Op, a));
    op = good;
    op.lengths = bench.put(std::vector<std::uint32_t>{13});
    op.ragged = LEVEE_RERAM_RAGGED_N;
    refuse(bench, block, LEVEE_RERAM_PRODUCT, op, offsetof(Op, lengths));
}

inline void check_refused_writes(ReramBench& bench, unsigned block, const levee_reram_stage& stage,
                                 std::uint64_t a)
{
    using Op = levee_reram_operation;
    Op write = write_of(bench, stage, 2, 12, LEVEE_TYPE_INT8);
    write.a = a;
    write.n = 1;
    refuse(bench, block, LEVEE_RERAM_WRITE, write, offsetof(Op, n));
    write.n = 0;
    write.lengths = bench.put(std::vector<std::uint32_t>{11}); // Writes columns 11 and 12.
    refuse(bench, block, LEVEE_RERAM_WRITE, write, offsetof(Op, lengths));
    write.lengths = 0;
    write.a_type = LEVEE_TYPE_INT16;
    write.a_stride[2] = 24;
    refuse(bench, block, LEVEE_RERAM_WRITE, write, offsetof(Op, a_type), LEVEE_ERROR_TYPE);
}

inline void check_refusals(ReramBench& bench, unsigned block)
{
    const levee_reram_stage stage = stage_of(0, 12, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
    levee_reram_operation good = product_of(bench, {stage}, 2, 12, LEVEE_TYPE_INT8);
    good.a = bench.put(std::vector<std::int8_t>(24, 1));
    good.out = bench.take(2 * 12 * 8);
    CHECK(bench.run_one(block, LEVEE_RERAM_PRODUCT, good) == LEVEE_ERROR_NONE);
    check_refused_stages(bench, block, good, stage);
    check_refused_strides(bench, block);
    check_refused_products(bench, block, good);
    check_refused_writes(bench, block, stage, good.a);
}

} // namespace levee::test
