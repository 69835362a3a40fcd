// SPDX-License-Identifier: Apache-2.0
// Tests the array in a system: scales for groups of weights, output-stationary products, and the
// bytes of ragged products.
#include "core/numerics/tensor.hpp"
#include "ip/rsa/module.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_product.hpp"

#include <cstddef>

namespace {

using namespace levee;
using namespace levee::test;
using Op = levee_rsa_operation;

constexpr std::uint64_t memory_rate = 256'000'000'000;
constexpr rsa::ArrayShape stationary_weights{32, 32, 128, 64, true};
constexpr rsa::ArrayShape stationary_outputs{
    32, 32, 128, 64, true, false, rsa::Dataflow::OutputStationary};

struct FormSystem : Bench {
    rsa::Rsa rsa;

    explicit FormSystem(const rsa::ArrayShape& array)
        : Bench("bench", {}, memory_rate),
          rsa("rsa", {Clock{1'000'000'000}, array, false, queue_config}, fabric)
    {
        connect(rsa.queue);
    }
    [[nodiscard]] std::uint64_t read_by(const Op& op)
    {
        const std::uint64_t before = figure(memory, "read_bytes");
        CHECK(execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        return figure(memory, "read_bytes") - before;
    }
    [[nodiscard]] std::uint64_t cycles_of(const Op& op)
    {
        const std::uint64_t before = figure(rsa, "cycles");
        CHECK(execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        return figure(rsa, "cycles") - before;
    }
};

/// Returns an INT16 by INT4 product with one scale per row of the stored operand.
Op weights_of_four_bits(FormSystem& system, std::uint16_t m, std::uint32_t k, std::uint32_t n)
{
    Op op{};
    op.outer[0] = op.outer[1] = op.m0 = 1;
    op.m1 = m;
    op.k = k;
    op.n = n;
    op.a_type = LEVEE_TYPE_INT16;
    op.b_type = LEVEE_TYPE_INT4;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.alpha = 1.0f;
    op.a_stride[2] = static_cast<std::int32_t>(2 * k);
    op.b_stride[2] = static_cast<std::int32_t>(k / 2);
    op.b_scale_stride[2] = 4;
    op.out_stride[2] = static_cast<std::int32_t>(4 * n);
    op.a = system.take(2 * m * k);
    op.b = system.take(n * k / 2);
    op.b_scale = system.take(4 * n * (k / 8));
    op.out = system.take(4ull * m * n);
    return op;
}

Op in_groups(Op op, unsigned log2)
{
    op.flags |= static_cast<std::uint8_t>(LEVEE_RSA_GROUP(log2));
    op.b_scale_stride[2] = static_cast<std::int32_t>(4 * rsa::groups_of(op.k, 1u << log2));
    return op;
}

/// Returns three by two products with 2 x 2 rows of INT8. Each row has space for 8 elements of k;
/// `lengths` says how many are used.
Op ragged_rows(FormSystem& system, const std::vector<std::uint32_t>& lengths)
{
    Op op{};
    op.outer[0] = 3;
    op.outer[1] = op.m1 = op.m0 = 2;
    op.k = 8;
    op.n = 4;
    op.a_type = op.b_type = LEVEE_TYPE_INT8;
    op.alpha = 1.0f;
    op.ragged = LEVEE_RSA_RAGGED_K;
    op.lengths = system.put(lengths);
    op.lengths_stride[0] = 8;
    op.lengths_stride[1] = 4;
    for (std::int32_t i = 0; i < 4; ++i) {
        op.a_stride[i] = 64 >> i;    // These strides are for rows of 8.
        op.out_stride[i] = 128 >> i; // These strides are for rows of 4.
    }
    op.b_stride[0] = 64;
    op.b_stride[1] = 32;
    op.b_stride[2] = 4;
    op.a = system.take(3 * 64);
    op.b = system.take(3 * 64);
    op.out = system.take(3 * 128);
    return op;
}

} // namespace

TEST_CASE("ragged rows that need several streams count each byte they read")
{
    FormSystem system(stationary_weights);
    system.run([&] {
        // The products have 22 elements of k in all. For A, each element has 4 rows, which are 88
        // bytes in three streams; for B, 4 columns.
        const Op op = ragged_rows(system, {1, 2, 3, 4, 5, 7});
        CHECK(system.read_by(op) == 4 * 22 + 4 * 22);
    });
}

TEST_CASE("group scales are read with the weights, once for each block of rows")
{
    FormSystem system(stationary_weights);
    system.run([&] {
        // A block of 64 rows reads A once for each of 4 pieces of n, and B and its scales once. The
        // matrix is transposed, so 32 columns hold k.
        const Op one = weights_of_four_bits(system, 64, 256, 128);
        const std::uint64_t scales = 128 * 4;
        const std::uint64_t rest = system.read_by(one) - scales;
        CHECK(rest == 4 * 64 * 512 + 128 * 128);
        CHECK(system.read_by(in_groups(one, 5)) == rest + 8 * scales);
        CHECK(system.read_by(in_groups(one, 7)) == rest + 2 * scales);
        // Three blocks read weights and their group scales three times. One scale per row would be
        // read only once.
        const Op three = weights_of_four_bits(system, 150, 256, 128);
        const std::uint64_t more = 4 * 150 * 512 + 3 * 128 * 128;
        CHECK(system.read_by(three) == more + scales);
        CHECK(system.read_by(in_groups(three, 5)) == more + 3 * 8 * scales);
        // Groups of 8 need four times as many folds of 32 columns, each with 64 rows of two bytes.
        CHECK(system.cycles_of(one) == 4 * 8 * 128 + 62);
        CHECK(system.cycles_of(in_groups(one, 5)) == 4 * 8 * 128 + 62);
        CHECK(system.cycles_of(in_groups(one, 3)) == 4 * 32 * 128 + 62);
    });
}

TEST_CASE("groups that the array does not support are refused by field")
{
    FormSystem system(stationary_weights);
    system.run([&] {
        const Op good = in_groups(weights_of_four_bits(system, 2, 64, 32), 5);
        const auto refused = [&](levee_command_error code, std::size_t member, const Op& bad) {
            INFO("member " << member);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, bad)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        Op bad = good;
        bad.flags = LEVEE_RSA_B_TRANSPOSED | LEVEE_RSA_GROUP(2);
        refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), bad);
        bad = good;
        bad.b_scale = 0;
        refused(LEVEE_ERROR_ADDRESS, offsetof(Op, b_scale), bad);
        bad = good;
        bad.ragged = LEVEE_RSA_RAGGED_N;
        bad.lengths = good.a;
        refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), bad);
        bad = good;
        bad.redirect = good.a;
        refused(LEVEE_ERROR_FIELD, offsetof(Op, flags), bad);
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("output stationary: random products have the same bits")
{
    FormSystem system({8, 8, 16, 5, true, false, rsa::Dataflow::OutputStationary});
    system.run([&] {
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            system.release(mark);
            Product product(system, seed);
            product.fill_output();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
            CHECK(product.output() == product.expected());
        }
    });
}

TEST_CASE(
    "output stationary: weights are read once per piece of rows, and k passes through each fold")
{
    FormSystem system(stationary_outputs);
    system.run([&] {
        // 3 pieces of 80 rows by 4 of 128 columns take 2 x 256 cycles each. Then come 32 + 32 - 2
        // cycles and the 16 rows of the last piece.
        const Op op = weights_of_four_bits(system, 80, 256, 128);
        CHECK(system.read_by(op) == 4 * 80 * 512 + 3 * 128 * 128 + 128 * 4);
        CHECK(system.read_by(in_groups(op, 5)) == 4 * 80 * 512 + 3 * (128 * 128 + 8 * 128 * 4));
        CHECK(system.cycles_of(op) == 12 * 512 + 62 + 16);
        // With groups of 8, 32 times 32 rows leave the array. The 16 rows of the last piece leave
        // while k is still being computed.
        CHECK(system.cycles_of(in_groups(op, 3)) == 8 * 1024 + 4 * 512 + 62 + 16);
    });
}

TEST_CASE("output stationary: a transposed matrix enters on the same side, also in an oblong array")
{
    FormSystem system({32, 16, 128, 64, true, false, rsa::Dataflow::OutputStationary});
    system.run([&] {
        Op rows = weights_of_four_bits(system, 80, 256, 128); // B is stored as [n][k].
        Op columns = rows;
        columns.flags &= static_cast<std::uint8_t>(~LEVEE_RSA_B_TRANSPOSED);
        columns.b_stride[2] = 128 / 2; // B is stored as [k][n].
        const std::uint64_t cycles = system.cycles_of(rows);
        // 3 pieces of 32 rows by 8 of 16 columns, then 32 + 16 - 2 cycles and the last piece's 16
        // rows.
        CHECK(cycles == 3 * 8 * 512 + 32 + 16 - 2 + 16);
        CHECK(system.cycles_of(columns) == cycles);
        CHECK(system.read_by(columns) == system.read_by(rows));
    });
}

TEST_CASE("output stationary: rows that are to cost no time are refused")
{
    FormSystem system(stationary_outputs);
    system.run([&] {
        Op op = weights_of_four_bits(system, 2, 64, 32);
        op.flags |= LEVEE_RSA_PARTIAL_FREE;
        op.redirect = op.a;
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_FIELD);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, flags)));
    });
}
