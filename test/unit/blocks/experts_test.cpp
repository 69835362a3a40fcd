// SPDX-License-Identifier: Apache-2.0
// Tests mixtures of experts on the function unit and the array. The parts are the choice of
// experts, products of rows that share an operand, and the sum of the experts' results.
#include "ip/rsa/gemm_checks.hpp"
#include "ip/rsa/module.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace {

using namespace levee;
using namespace levee::test;
using Op = levee_sfu_operation;
using Words = std::vector<std::uint32_t>;

struct Functions : Bench {
    sfu::Sfu sfu{"sfu", {Clock{1'000'000'000}, 8, 10, queue_config}, fabric};
    Functions() : Bench("bench", {}, 256'000'000'000) { connect(sfu.queue); }
};

struct Array : Bench {
    rsa::Rsa rsa{"rsa",
                 {Clock{1'000'000'000}, rsa::ArrayShape{8, 8, 8, 64, true}, false, queue_config},
                 fabric};
    Array() : Bench("bench", {}, 256'000'000'000) { connect(rsa.queue); }
};

/// Returns an operation that chooses experts for three rows of four scores each.
Op three_rows(Functions& system, const std::vector<float>& scores)
{
    Op op{};
    op.outer[0] = op.outer[1] = 1;
    op.rows = 3;
    op.n = 4;
    op.seed = 2;
    op.x_type = op.out_type = LEVEE_TYPE_FP32;
    op.x = system.put(scores);
    op.x_stride[2] = 16;
    op.out = system.take(4 * (4 + 6));
    op.out_scale = system.take(8 * 6);
    return op;
}

} // namespace

TEST_CASE("the largest scores are chosen, ties to the lowest index, with their softmax")
{
    std::vector<sfu::Choice> choices(3);
    sfu::choose(std::vector<float>{1.0f, 3.0f, 3.0f, 0.0f}, {}, choices);
    CHECK((choices[0].index == 1 && choices[1].index == 2 && choices[2].index == 0));
    const double all = 2.0 + std::exp(-2.0) + std::exp(-3.0);
    CHECK(choices[0].weight == Approx(1.0 / all).epsilon(2e-6));
    CHECK(choices[2].weight == Approx(std::exp(-2.0) / all).epsilon(2e-6));
    sfu::choose(std::vector<float>{1.0f, 3.0f, 3.0f, 0.0f}, {.among_chosen = true}, choices);
    CHECK(choices[0].weight == Approx(1.0 / (2.0 + std::exp(-2.0))).epsilon(2e-6));
    CHECK(choices[0].weight + choices[1].weight + choices[2].weight == Approx(1.0f));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    sfu::choose(std::vector<float>{nan, -1.0f, nan, -2.0f}, {.among_chosen = true}, choices);
    CHECK((choices[0].index == 1 && choices[1].index == 3 && choices[2].index == 0));
    std::vector<sfu::Choice> one(1);
    sfu::choose(std::vector<float>{7.0f}, {}, one);
    CHECK((one[0].index == 0 && one[0].weight == 1.0f));
}

TEST_CASE("scores by sigmoid, with a bias that affects only the choice")
{
    const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    std::vector<sfu::Choice> two(2);
    const std::vector<float> x{0.0f, 2.0f, 2.0f, -1.0f}, bias{0.5f, 0.0f, 0.0f, 0.75f};
    sfu::choose(x, {.sigmoid = true}, two);
    CHECK((two[0].index == 1 && two[1].index == 2)); // In a tie the lowest index comes first.
    CHECK(two[0].weight == Approx(sigmoid(2.0)).epsilon(2e-6));
    sfu::choose(x, {.among_chosen = true, .sigmoid = true}, two);
    CHECK(two[0].weight == 0.5f);
    // The scores are 1, .88, .88 and 1.02.
    sfu::choose(x, {.among_chosen = true, .sigmoid = true, .bias = bias}, two);
    CHECK((two[0].index == 3 && two[1].index == 0));
    CHECK(two[0].weight == Approx(sigmoid(-1.0) / (sigmoid(-1.0) + 0.5)).epsilon(2e-6));
    const double all = 1.0 + 2.0 * std::exp(2.0) + std::exp(-1.0);
    // The scores are .058, .43, .43 and .02; the bias is added to them.
    sfu::choose(x, {.bias = bias}, two);
    CHECK((two[0].index == 3 && two[1].index == 0));
    CHECK(two[1].weight == Approx(1.0 / all).epsilon(2e-6));
    const std::vector<float> too_few{0.5f};
    CHECK_THROWS_AS(sfu::choose(x, {.bias = too_few}, two), std::invalid_argument);
}

TEST_CASE("ROUTE by sigmoid with a bias of the choice, and flags that it excludes")
{
    Functions system;
    system.run([&] {
        Op op = three_rows(system, {1, 0, 2, -1, 0, 0, 5, 4, 9, 8, 0, 0});
        op.flags = LEVEE_SFU_SIGMOID;
        op.param = 1.0f;
        // The bias makes expert 1 the first choice.
        op.bias = system.put(std::vector<float>{0.0f, 2.0f, 0.0f, 0.0f});
        CHECK(system.execute(0, describe(LEVEE_SFU_ROUTE, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint32_t>(op.out, 4) == Words{1, 3, 2, 0});
        const auto choices = system.get<levee_sfu_choice>(op.out_scale, 6);
        CHECK(choices[0].place == 1);
        const double one = 0.5, two = 1.0 / (1.0 + std::exp(-2.0));
        CHECK(choices[0].weight == Approx(one / (one + two)).epsilon(2e-6));
        Op other = op;
        other.seed = 1;
        other.out = system.take(4 * 3);
        other.indices = system.put(std::vector<levee_sfu_choice>(3));
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, other)) == LEVEE_ERROR_FIELD);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, flags)));
    });
}

TEST_CASE("ROUTE counts and orders rows by the expert that they chose")
{
    Functions system;
    system.run([&] {
        // The rows choose experts 2 and 0, 2 and 3, and 0 and 1.
        const Op op = three_rows(system, {1, 0, 2, -1, 0, 0, 5, 4, 9, 8, 0, 0});
        CHECK(system.execute(0, describe(LEVEE_SFU_ROUTE, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint32_t>(op.out, 10) == Words{2, 1, 2, 1, 0, 2, 2, 0, 1, 1});
        const auto choices = system.get<levee_sfu_choice>(op.out_scale, 6);
        const Words places{3, 0, 4, 5, 1, 2};
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(choices[i].place == places[i]);
        CHECK(choices[0].weight ==
              Approx(std::exp(2.0) / (std::exp(1.0) + 1.0 + std::exp(2.0) + std::exp(-1.0)))
                  .epsilon(2e-6));
        Op among = op;
        among.param = 1.0f;
        CHECK(system.execute(0, describe(LEVEE_SFU_ROUTE, among)) == LEVEE_ERROR_NONE);
        const auto shares = system.get<levee_sfu_choice>(op.out_scale, 6);
        CHECK(shares[0].weight == Approx(1.0 / (1.0 + std::exp(-1.0))).epsilon(2e-6));
        CHECK(shares[0].weight + shares[1].weight == Approx(1.0f));
    });
}

TEST_CASE("COMBINE sums the expert results of each row, in their order")
{
    Functions system;
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = 1;
        op.rows = 2;
        op.n = 3;
        op.seed = 2;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = system.put(std::vector<float>{1, 2, 3, 10, 20, 30, 5, 6, 7, -1, -2, -3});
        op.x_stride[2] = op.out_stride[2] = 12;
        op.indices =
            system.put(std::vector<levee_sfu_choice>{{2, 0.5f}, {0, 2.0f}, {1, 1.0f}, {3, 10.0f}});
        op.out = system.take(24);
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 6) == std::vector<float>{4.5f, 7.0f, 9.5f, 0, 0, 0});
        op.indices =
            system.put(std::vector<levee_sfu_choice>{{2, 0.5f}, {4, 2.0f}, {1, 1.0f}, {3, 10.0f}});
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, op)) == LEVEE_ERROR_FIELD);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, indices)));
    });
}

TEST_CASE("COMBINE adds a shared expert's row last, times a sigmoid if there is a gate")
{
    Functions system;
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = 1;
        op.rows = 2;
        op.n = 3;
        op.seed = 1;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = system.put(std::vector<float>{1, 2, 3, 10, 20, 30});
        op.y = system.put(std::vector<float>{100, 200, 300, 400, 500, 600});
        op.x_stride[2] = op.y_stride[2] = op.out_stride[2] = 12;
        op.indices = system.put(std::vector<levee_sfu_choice>{{1, 0.5f}, {0, 2.0f}});
        op.out = op.y; // The result overwrites y.
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 6) == std::vector<float>{105, 210, 315, 402, 504, 606});
        op.y = system.put(std::vector<float>{100, 200, 300, 400, 500, 600});
        op.gain = system.put(std::vector<float>{0.0f, -200.0f});
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 6) == std::vector<float>{55, 110, 165, 2, 4, 6});
        op.y = 0;
        CHECK(system.execute(0, describe(LEVEE_SFU_COMBINE, op)) == LEVEE_ERROR_ADDRESS);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, gain)));
    });
}

TEST_CASE("a clamped gate: above the limit, below it, and NaN")
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> gate{1.0f, 9.0f, -9.0f, 1.0f, 1.0f, nan, 1.0f};
    const std::vector<float> up{0.5f, 0.5f, 0.5f, 9.0f, -9.0f, 0.5f, nan};
    std::vector<float> out(gate.size());
    sfu::clamped_mul(gate, up, {2.0f, 1.5f}, out);
    const auto expected = [](double g, double u) { return (u + 1) * g / (1 + std::exp(-1.5 * g)); };
    CHECK(out[0] == Approx(expected(1, 0.5)).epsilon(2e-6));
    CHECK(out[1] == Approx(expected(2, 0.5)).epsilon(2e-6));
    CHECK(out[2] == Approx(expected(-9, 0.5)).epsilon(1e-4).margin(1e-5));
    CHECK(out[3] == Approx(expected(1, 2)).epsilon(2e-6));
    CHECK(out[4] == Approx(expected(1, -2)).epsilon(2e-6));
    CHECK((std::isnan(out[5]) && std::isnan(out[6])));
    CHECK_THROWS_AS(sfu::clamped_mul(gate, up, {0.0f, 1.5f}, out), std::invalid_argument);
    Functions system;
    system.run([&] {
        Op op{};
        op.outer[0] = op.outer[1] = op.rows = 1;
        op.n = 5;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        op.x = system.put(gate);
        op.y = system.put(up);
        op.out = system.take(20);
        op.cap = 2.0f;
        op.param = 1.5f;
        CHECK(system.execute(0, describe(LEVEE_SFU_CLAMPED_MUL, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 5) == std::vector<float>(out.begin(), out.begin() + 5));
        op.cap = 0.0f;
        CHECK(system.execute(0, describe(LEVEE_SFU_CLAMPED_MUL, op)) == LEVEE_ERROR_FIELD);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, cap)));
    });
}

TEST_CASE("the softmax counts a sink once, in its first part")
{
    Functions system;
    system.run([&] {
        Op op{};
        op.outer[0] = 1;
        op.outer[1] = 2; // number of heads
        op.rows = 1;
        op.n = 4;
        op.x_type = op.out_type = LEVEE_TYPE_FP32;
        const std::vector<float> scores{1, 2, 3, 4, 1, 2, 3, 4};
        const std::vector<float> sinks{3.5f, 50.0f};
        op.x = system.put(scores);
        op.positions = system.put(sinks);
        op.positions_stride[1] = 4;
        op.x_stride[1] = op.out_stride[1] = 16;
        op.out = system.take(32);
        CHECK(system.execute(0, describe(LEVEE_SFU_SOFTMAX, op)) == LEVEE_ERROR_NONE);
        const auto whole = system.get<float>(op.out, 8);
        double sum = std::exp(3.5);
        for (const double x : {1.0, 2.0, 3.0, 4.0})
            sum += std::exp(x);
        CHECK(whole[3] == Approx(std::exp(4.0) / sum).epsilon(2e-6));
        CHECK(whole[7] < 1e-19f); // The sink gets nearly all attention.
        Op part = op;
        part.n = 2;
        part.gain = system.take(16);
        part.bias = system.take(8);
        part.out_scale_stride[1] = 4;
        part.flags = LEVEE_SFU_FIRST;
        CHECK(system.execute(0, describe(LEVEE_SFU_SOFTMAX_PART, part)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(part.bias, 2) == std::vector<float>{0, 0});
        part.flags = 0;
        CHECK(system.execute(0, describe(LEVEE_SFU_SOFTMAX_PART, part)) == LEVEE_ERROR_FIELD);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(offsetof(Op, positions)));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        part.positions = 0;
        part.x += 8;
        CHECK(system.execute(0, describe(LEVEE_SFU_SOFTMAX_PART, part)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 2)[1] == Approx(whole[3]).epsilon(2e-6));
    });
}

TEST_CASE("ROUTE and COMBINE refuse inputs from which they cannot choose")
{
    Functions system;
    system.run([&] {
        const Op good = three_rows(system, std::vector<float>(12, 1.0f));
        const auto refused = [&](std::size_t member, levee_command_error code, auto spoil) {
            Op bad = good;
            spoil(bad);
            INFO("member " << member);
            CHECK(system.execute(0, describe(LEVEE_SFU_ROUTE, bad)) == code);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(offsetof(Op, seed), LEVEE_ERROR_FIELD, [](Op& o) { o.seed = 0; });
        refused(offsetof(Op, seed), LEVEE_ERROR_FIELD, [](Op& o) { o.seed = 5; });
        refused(offsetof(Op, outer), LEVEE_ERROR_FIELD, [](Op& o) { o.outer[0] = 2; });
        refused(offsetof(Op, out_scale), LEVEE_ERROR_ADDRESS, [](Op& o) { o.out_scale = 0; });
        refused(offsetof(Op, flags), LEVEE_ERROR_FIELD,
                [](Op& o) { o.flags = LEVEE_SFU_ROPE_HALVES; });
        CHECK(system.execute(0, describe(LEVEE_SFU_ROUTE, good)) == LEVEE_ERROR_NONE);
    });
}

TEST_CASE("products share rows of A and of out by a table of counts, listed or in order")
{
    Array system;
    system.run([&] {
        levee_rsa_operation op{};
        op.outer[0] = 4; // There are four experts with matrices of 2 x 2.
        op.outer[1] = op.m0 = 1;
        op.m1 = 4;
        op.k = op.n = 2;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1.0f;
        op.a = system.put(std::vector<std::int16_t>{1, 2, 3, 4, 5, 6, 7, 8});
        op.a_scale = system.put(std::vector<float>{1.0f, 2.0f, 4.0f, 8.0f});
        op.b =
            system.put(std::vector<std::int8_t>{1, 0, 0, 1, 9, 9, 9, 9, 1, 1, 1, -1, 2, 0, 0, 3});
        op.b_scale = system.put(std::vector<float>{1, 1, 9, 9, 1, 10, 1, 1});
        op.out = system.take(32);
        op.a_stride[2] = 4;
        op.a_scale_stride[2] = 4;
        op.b_stride[0] = 4;
        op.b_stride[2] = 2;
        op.b_scale_stride[0] = 8;
        op.b_scale_stride[2] = 4;
        op.out_stride[2] = 8;
        // The first expert gets one row, the second none, the third two, the last one.
        op.lengths = system.put(Words{1, 0, 2, 1, 3, 0, 1, 0});
        op.ragged = LEVEE_RSA_RAGGED_M;
        const std::uint64_t before = figure(system.rsa, "macs");
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(figure(system.rsa, "macs") - before == 4 * 2 * 2);
        CHECK(system.get<float>(op.out, 8) ==
              std::vector<float>{1, 2, 2 * 7, 2 * -10, 4 * 11, 4 * -10, 8 * 14, 8 * 24});
        // Expert 0 gets row 3, expert 2 gets rows 0 and 1, expert 3 gets row 0.
        op.ragged = LEVEE_RSA_RAGGED_M_LISTED;
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 8) ==
              std::vector<float>{8 * 7, 8 * 8, 3, -10, 2 * 7, 2 * -10, 2, 6});
    });
}

TEST_CASE("products that share rows have a bias each")
{
    Array system;
    system.run([&] {
        levee_rsa_operation op{};
        op.outer[0] = 3;
        op.outer[1] = op.m0 = 1;
        op.m1 = 2;
        op.k = op.n = 2;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1.0f;
        op.a = system.put(std::vector<std::int16_t>{1, 2, 3, 4});
        op.b = system.put(std::vector<std::int8_t>{1, 0, 0, 1, 9, 9, 9, 9, 2, 0, 0, 3});
        op.bias = system.put(std::vector<float>{10, 20, 0, 30, 40, 0, 50, 60, 0});
        op.lengths_stride[0] = 12; // A product uses two of the three words.
        op.out = system.take(16);
        op.a_stride[2] = 4;
        op.b_stride[0] = 4;
        op.b_stride[2] = 2;
        op.out_stride[2] = 8;
        op.lengths = system.put(Words{1, 0, 1});
        op.ragged = LEVEE_RSA_RAGGED_M;
        const std::uint64_t before = figure(system.memory, "read_bytes");
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 4) == std::vector<float>{11, 22, 56, 72});
        const std::uint64_t with = figure(system.memory, "read_bytes") - before;
        op.bias = 0;
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(with - (figure(system.memory, "read_bytes") - before - with) == 2 * 8);
    });
}

TEST_CASE("products that share rows read no operands of products without rows")
{
    Array system;
    system.run([&] {
        levee_rsa_operation op{};
        op.outer[0] = 8;
        op.outer[1] = op.m0 = 1;
        op.m1 = 2;
        op.k = op.n = 64;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1.0f;
        op.a = system.take(2 * 128);
        op.b = system.take(8 * 64 * 64);
        op.out = system.take(2 * 256);
        op.a_stride[2] = 128;
        op.b_stride[0] = 64 * 64;
        op.b_stride[2] = 64;
        op.out_stride[2] = 256;
        op.ragged = LEVEE_RSA_RAGGED_M;
        const auto read = [&](const Words& rows) {
            op.lengths = system.put(rows);
            const std::uint64_t before = figure(system.memory, "read_bytes");
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
            return figure(system.memory, "read_bytes") - before;
        };
        const std::uint64_t one = read({0, 0, 2, 0, 0, 0, 0, 0});
        const std::uint64_t two = read({0, 1, 0, 0, 0, 0, 0, 1});
        CHECK(two - one == 64 * 64);
    });
}

TEST_CASE("rows of A may end at a memory's end if no list selects a row beyond it")
{
    Array system;
    system.run([&] {
        levee_rsa_operation op{};
        op.outer[0] = 2;
        op.outer[1] = op.m0 = 1;
        op.m1 = 4; // Each of the two rows is for both experts.
        op.k = op.n = 2;
        op.a_type = LEVEE_TYPE_INT16;
        op.b_type = LEVEE_TYPE_INT8;
        op.flags = LEVEE_RSA_B_TRANSPOSED;
        op.alpha = 1.0f;
        op.b = system.put(std::vector<std::int8_t>{1, 0, 0, 1, 2, 0, 0, 3});
        op.out = system.take(32);
        op.a = memory_base + memory_bytes - 8;
        system.write(op.a, 0x0002'0001); // rows 1 and 2, then rows 3 and 4
        system.write(op.a + 4, 0x0004'0003);
        op.a_stride[2] = 4;
        op.b_stride[0] = 4;
        op.b_stride[2] = 2;
        op.out_stride[2] = 8;
        op.ragged = LEVEE_RSA_RAGGED_M_LISTED;
        op.lengths = system.put(Words{2, 2, 0, 1, 0, 1});
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 8) == std::vector<float>{1, 2, 3, 4, 2, 6, 6, 12});
        // One row is beyond the end of the memory.
        op.lengths = system.put(Words{2, 2, 0, 2, 0, 1});
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_ADDRESS);
    });
}

TEST_CASE("the limit on results counts rows that products share only once")
{
    levee_rsa_operation op{};
    op.outer[0] = 128;
    op.outer[1] = op.m0 = 1;
    op.m1 = 1 << 14;
    op.k = 64;
    op.n = 1 << 11;
    op.a_type = LEVEE_TYPE_INT16;
    op.b_type = LEVEE_TYPE_INT8;
    op.flags = LEVEE_RSA_B_TRANSPOSED;
    op.a = op.b = op.out = op.lengths = 64;
    op.ragged = LEVEE_RSA_RAGGED_M_LISTED;
    CHECK_NOTHROW(rsa::check(op));
    op.ragged = LEVEE_RSA_RAGGED_N; // Each of the 128 products has its own results.
    CHECK_THROWS(rsa::check(op));
}

TEST_CASE("products that share rows refuse counts that do not add up")
{
    Array system;
    system.run([&] {
        levee_rsa_operation good{};
        good.outer[0] = 2;
        good.outer[1] = good.m0 = 1;
        good.m1 = 3;
        good.k = good.n = 4;
        good.a_type = LEVEE_TYPE_INT16;
        good.b_type = LEVEE_TYPE_INT8;
        good.flags = LEVEE_RSA_B_TRANSPOSED;
        good.alpha = 1.0f;
        good.a = system.take(64);
        good.b = system.take(64);
        good.out = system.take(64);
        good.a_stride[2] = 8;
        good.b_stride[0] = 16;
        good.b_stride[2] = 4;
        good.out_stride[2] = 16;
        good.ragged = LEVEE_RSA_RAGGED_M;
        good.lengths = system.put(Words{1, 2});
        using Product = levee_rsa_operation;
        const auto refused = [&](std::size_t member, auto spoil) {
            Product bad = good;
            spoil(bad);
            INFO("member " << member);
            CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, bad)) != LEVEE_ERROR_NONE);
            CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
            system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
        };
        refused(offsetof(Product, lengths), [&](Product& o) {
            o.lengths = system.put(Words{1, 1});
        });
        refused(offsetof(Product, lengths), [&](Product& o) {
            o.lengths = system.put(Words{3, 3});
        });
        refused(offsetof(Product, outer), [](Product& o) { o.outer[1] = 2; });
        refused(offsetof(Product, a_stride), [](Product& o) { o.a_stride[0] = 8; });
        refused(offsetof(Product, flags), [](Product& o) { o.flags |= LEVEE_RSA_ACCUMULATE; });
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, good)) == LEVEE_ERROR_NONE);
    });
}
