// SPDX-License-Identifier: Apache-2.0
// Tests each part of an operation on crossbars on its own.
#include "ip/reram/staged_product.hpp"
#include "test/unit/blocks/acting_block.hpp"
#include "test/unit/reram/reram_bench.hpp"

using namespace levee;
using namespace levee::test;
using namespace levee::reram;

namespace {

/// A block that only reads each operation; the test does the rest.
struct Part : ActingBlock {
    explicit Part(DataMode data = DataMode::Functional) : ActingBlock(reram::declaration, data) {}

    std::uint32_t prepare(std::uint8_t opcode, const levee_reram_operation& op,
                          const std::function<void(Operation&)>& what)
    {
        return with(opcode, op, [&](const levee_descriptor&, Operation& operation) {
            staged.read(queue, opcode);
            operands.begin();
            what(operation);
        });
    }

    Config config = small_reram();
    Crossbars crossbars{config.array};
    StageTimes times{config.array, config.timing, config.groups};
    StagedOperation staged{crossbars, config.array.units};
    VectorOperands operands{queue};
};

// These are the times for INT16 (reram_bench.hpp).
constexpr Picoseconds t_c = 150'000, t_w = 1'000'000;

/// Returns a stage of 16 word lines by 12 bit lines of INT8, from unit 4 on.
levee_reram_stage small_stage()
{
    return stage_of(4, 16, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
}

} // namespace

TEST_CASE("an operation names its crossbars and lines, and an error the wrong member")
{
    Part part;
    part.run([&] {
        levee_reram_stage stage = small_stage();
        const std::uint64_t units = part.crossbars.units_of({0, 16, 12, 8});
        stage.unit_stride[1] = static_cast<std::uint32_t>(2 * units);
        levee_reram_operation op = product_of(part, {stage}, 3, 16, LEVEE_TYPE_INT16);
        op.a = op.out = part.take(1024);
        op.outer[1] = 2;
        const auto nothing = [](Operation&) {};
        CHECK(part.prepare(LEVEE_RERAM_PRODUCT, op, nothing) == LEVEE_ERROR_NONE);
        CHECK(part.staged.products() == 2);
        CHECK(part.staged.vectors() == 3);
        CHECK(part.staged.in_turn(stage) == 1);
        const std::vector<UnitRange> ranges = part.staged.units_of(stage);
        REQUIRE(ranges.size() == 2); // Units of other matrices are between the two ranges.
        CHECK(ranges[1].first == 4 + 2 * units);
        CHECK(part.staged.input_bits(0) == 15);
        const auto fault = [&](auto change) {
            levee_reram_operation wrong = op;
            change(wrong);
            CHECK(part.prepare(LEVEE_RERAM_PRODUCT, wrong, nothing) != LEVEE_ERROR_NONE);
            return part.error_field - operation_field(0);
        };
        using Op = levee_reram_operation;
        CHECK(fault([](Op& wrong) { wrong.m0 = 0; }) == offsetof(Op, m0));
        CHECK(fault([](Op& wrong) { wrong.n = 11; }) == offsetof(Op, n));
        CHECK(fault([](Op& wrong) { wrong.k = 17; }) == offsetof(Op, stages));
        CHECK(fault([](Op& wrong) { wrong.ragged = LEVEE_RERAM_RAGGED_K; }) ==
              offsetof(Op, lengths));
    });
}

TEST_CASE("programming occupies its crossbars, and only products on these wait")
{
    Part part;
    part.run([&] {
        const levee_reram_stage stage = small_stage(),
                                other = stage_of(64, 16, 12, 8, LEVEE_RERAM_COLUMNS_SENSED);
        const auto product = [&](const levee_reram_stage& by) {
            levee_reram_operation op = product_of(part, {by}, 3, 16, LEVEE_TYPE_INT16);
            op.a = op.out = part.take(1024);
            Picoseconds time = 0;
            CHECK(part.prepare(LEVEE_RERAM_PRODUCT, op, [&](Operation& operation) {
                part.times.take_product(part.staged, 0, operation);
                time = operation.job.activity.minimum;
                CHECK(operation.work.size() == 6);
            }) == LEVEE_ERROR_NONE);
            return time;
        };
        CHECK(product(stage) == 3 * t_c);
        levee_reram_operation op = write_of(part, stage, 2, 16, LEVEE_TYPE_INT8);
        op.a = part.take(64);
        op.flags = LEVEE_RERAM_POSTED;
        CHECK(part.prepare(LEVEE_RERAM_WRITE, op, [&](Operation& operation) {
            part.times.take_write(part.staged, 0, operation);
            CHECK(operation.job.activity.minimum == 0);
        }) == LEVEE_ERROR_NONE);
        CHECK(product(stage) == 2 * t_w + 3 * t_c);
        CHECK(product(other) == 3 * t_c);
    });
}

TEST_CASE("vectors are read by (o0, o1), and their results are written in the same order")
{
    Part part;
    part.run([&] {
        levee_reram_operation op = product_of(part, {small_stage()}, 2, 4, LEVEE_TYPE_INT8);
        op.a = part.put<std::int8_t>({1, -2, 3, -4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -128});
        op.outer[1] = 2;
        op.a_stride[1] = 8;
        op.out = part.take(4096);
        op.out_stride[1] = 1024;
        Vectors vectors;
        CHECK(part.prepare(LEVEE_RERAM_PRODUCT, op, [&](Operation& operation) {
            part.operands.open(part.staged, operation);
            part.operands.take(part.staged, 0, 0, vectors);
            CHECK(vectors.codes == std::vector<std::int32_t>{1, -2, 3, -4, 5, 6, 7, 8});
            CHECK(vectors.scales.empty());
            std::vector<std::uint8_t> results(2 * 2 * 12 * 8, 1);
            part.operands.write_results(part.staged, results);
        }) == LEVEE_ERROR_NONE);
        CHECK(part.get<std::uint8_t>(op.out + 1024 + 191, 2) == std::vector<std::uint8_t>{1, 0});
        CHECK(part.prepare(LEVEE_RERAM_PRODUCT, op, [&](Operation&) {
            // -128 has no representation as sign and magnitude.
            part.operands.take(part.staged, 0, 1, vectors);
        }) == LEVEE_ERROR_FIELD);
        CHECK(part.error_field == field_a);
    });
}

TEST_CASE("a vector passes through the stages, and its sums are written in the operation's format")
{
    Part part;
    part.run([&] {
        const MatrixPlace place{4, 16, 12, 8};
        for (std::uint32_t column = 0; column < 2; ++column)
            part.crossbars.write_column(
                place, column, 0,
                std::vector<std::int32_t>{1, 2, static_cast<std::int32_t>(3 + column)});
        levee_reram_stage stage = small_stage();
        stage.lines = 2;
        levee_reram_operation op = product_of(part, {stage}, 1, 3, LEVEE_TYPE_INT8);
        op.a = op.out = part.take(64);
        const Vectors vectors{3, {10, 20, -30}, {}, {}, {}};
        std::vector<std::uint8_t> results;
        CHECK(part.prepare(LEVEE_RERAM_PRODUCT, op, [&](Operation&) {
            StagedProduct(part.crossbars, part.staged).multiply(0, 0, vectors, results);
        }) == LEVEE_ERROR_NONE);
        std::vector<std::int64_t> sums(results.size() / 8);
        std::memcpy(sums.data(), results.data(), results.size());
        CHECK(sums == std::vector<std::int64_t>{-40, -70});
    });
}
