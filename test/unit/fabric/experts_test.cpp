// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts on the function unit and the array: the choice of
// experts, products of rows that share an operand, and the sum of what experts make.
#include "ip/rsa/module.hpp"
#include "ip/sfu/model.hpp"
#include "ip/sfu/module.hpp"
#include "test/unit/fabric/bench.hpp"

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

/// Three rows of four scores.
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
    sfu::choose(std::vector<float>{1.0f, 3.0f, 3.0f, 0.0f}, false, choices);
    CHECK((choices[0].index == 1 && choices[1].index == 2 && choices[2].index == 0));
    const double all = 2.0 + std::exp(-2.0) + std::exp(-3.0);
    CHECK(choices[0].weight == Approx(1.0 / all).epsilon(2e-6));
    CHECK(choices[2].weight == Approx(std::exp(-2.0) / all).epsilon(2e-6));
    sfu::choose(std::vector<float>{1.0f, 3.0f, 3.0f, 0.0f}, true, choices);
    CHECK(choices[0].weight == Approx(1.0 / (2.0 + std::exp(-2.0))).epsilon(2e-6));
    CHECK(choices[0].weight + choices[1].weight + choices[2].weight == Approx(1.0f));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    sfu::choose(std::vector<float>{nan, -1.0f, nan, -2.0f}, true, choices);
    CHECK((choices[0].index == 1 && choices[1].index == 3 && choices[2].index == 0));
    std::vector<sfu::Choice> one(1);
    sfu::choose(std::vector<float>{7.0f}, false, one);
    CHECK((one[0].index == 0 && one[0].weight == 1.0f));
}

TEST_CASE("ROUTE counts and orders rows by the element that they chose")
{
    Functions system;
    system.run([&] {
        // Rows choose 2 and 0; 2 and 3; 0 and 1.
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

TEST_CASE("COMBINE sums the rows that a row chose, in their order")
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

TEST_CASE("ROUTE and COMBINE refuse what they cannot choose from")
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

TEST_CASE("products share rows of A and of out, by the counts of a table, listed or in order")
{
    Array system;
    system.run([&] {
        levee_rsa_operation op{};
        op.outer[0] = 4; // experts, of 2 x 2
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
        // One row for the first expert, none for the second, two for the third, one for the last.
        op.lengths = system.put(Words{1, 0, 2, 1, 3, 0, 1, 0});
        op.ragged = LEVEE_RSA_RAGGED_M;
        const std::uint64_t before = figure(system.rsa, "macs");
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(figure(system.rsa, "macs") - before == 4 * 2 * 2);
        CHECK(system.get<float>(op.out, 8) ==
              std::vector<float>{1, 2, 2 * 7, 2 * -10, 4 * 11, 4 * -10, 8 * 14, 8 * 24});
        op.ragged = LEVEE_RSA_RAGGED_M_LISTED; // rows 3; 0 and 1; 0
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
        CHECK(system.get<float>(op.out, 8) ==
              std::vector<float>{8 * 7, 8 * 8, 3, -10, 2 * 7, 2 * -10, 2, 6});
    });
}

TEST_CASE("products that share rows read no operand of those that have none")
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

TEST_CASE("products that share rows refuse what does not add up")
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
        refused(offsetof(Product, bias), [&](Product& o) { o.bias = o.a; });
        refused(offsetof(Product, flags), [](Product& o) { o.flags |= LEVEE_RSA_ACCUMULATE; });
        CHECK(system.execute(0, describe(LEVEE_RSA_GEMM, good)) == LEVEE_ERROR_NONE);
    });
}
