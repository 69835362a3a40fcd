// SPDX-License-Identifier: Apache-2.0
// Tests the array's RTL in a system in place of its reference. Checks results in memory, cycles by
// hand, two queues on one design, and reports of differences.
#include "ip/rsa/module.hpp"
#include "ip/rsa/pins.hpp"
#include "ip/rsa/rtl.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_product.hpp"

#include <functional>

namespace {

using namespace levee;
using namespace levee::test;
using rsa::RtlEngine;

const rsa::Design& design_of(const rsa::Shape& shape)
{
    for (const rsa::Design& design : rsa::designs())
        if (design.size == shape)
            return design;
    throw std::runtime_error("there is no array design of this shape");
}
constexpr rsa::Shape square{4, 4, 32}, oblong{5, 7, 32};

std::unique_ptr<RtlEngine> hardware(RtlEngine::Mode mode, const rsa::Shape& shape = square)
{
    return std::make_unique<RtlEngine>("system.rsa", design_of(shape).make, mode);
}

struct ArraySystem : Bench {
    RtlEngine* engine;
    rsa::Rsa rsa, other;

    explicit ArraySystem(std::unique_ptr<RtlEngine> its_engine, const rsa::Shape& shape = square)
        : Bench("bench", {}, 256'000'000'000), engine(its_engine.get()),
          rsa("rsa", config_of(shape), fabric, std::move(its_engine)),
          other("other", config_of(shape), fabric)
    {
        connect(rsa.queue);
        connect(other.queue);
        other.share_array(rsa);
    }
    static levee::rsa::Config config_of(const levee::rsa::Shape& shape)
    {
        return {Clock{1'000'000'000},
                {shape.rows, shape.columns, shape.columns, 5, true},
                false,
                queue_config};
    }

    void check_products(unsigned queue, std::uint32_t count)
    {
        run([&] {
            const std::uint64_t start = mark();
            for (std::uint32_t seed = 0; seed < count; ++seed) {
                release(start);
                test::Product product(*this, seed);
                product.fill_output();
                INFO("seed " << seed);
                CHECK(execute(queue, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
                CHECK(product.output() == product.expected());
            }
        });
    }
};

/// A design with one sum that is too large by one.
constexpr rsa::MakePins faulty = make_spoiled<rsa::Ports, 1, [](rsa::Outputs& out) {
    out.sums[2] += (out.lanes >> 2 & 1) != 0 ? 1 : 0;
}>;

rsa::Product ones(std::uint32_t m, std::uint32_t k, std::uint32_t n)
{
    rsa::Product product{m, n, k, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8, true, {}, {}};
    product.a.assign(std::size_t{m} * k, 1);
    product.b.assign(std::size_t{n} * k, 1);
    return product;
}

} // namespace

TEST_CASE("RTL in the array's place computes random products of all types, in memory")
{
    ArraySystem system(hardware(RtlEngine::Mode::Rtl));
    system.check_products(0, 60);
    check_runs(*system.engine);
}

TEST_CASE("lockstep agrees and takes the timing rule's cycles, also for an oblong array")
{
    for (const rsa::Shape& shape : {square, oblong}) {
        RtlEngine engine("system.rsa", design_of(shape).make, RtlEngine::Mode::Lockstep);
        for (const std::uint32_t m : {1u, 3u, 9u})
            for (const std::uint32_t k : {1u, 8u, 35u})
                for (const std::uint32_t n : {1u, 8u, 35u}) {
                    INFO(m << " x " << k << " x " << n);
                    const auto sums = engine.multiply({ones(m, k, n), ones(1, k, n)}, 512);
                    CHECK(sums[0] == std::vector<std::int64_t>(std::size_t{m} * n, k));
                    CHECK(sums[1] == std::vector<std::int64_t>(n, k));
                }
        check_agrees(engine);
    }
}

TEST_CASE("lockstep in a system")
{
    ArraySystem system(hardware(RtlEngine::Mode::Lockstep, oblong), oblong);
    system.check_products(0, 30);
    CHECK_FALSE(system.engine->failure());
    CHECK_FALSE(system.engine->outstanding());
}

TEST_CASE("a queue that shares an array uses the array's design")
{
    ArraySystem system(hardware(RtlEngine::Mode::Rtl));
    system.check_products(1, 10);
    CHECK(system.engine->rtl_cycles() > 0);
}

TEST_CASE(
    "the timing rule with a row loaded per cycle is the RTL's, plus five cycles per operation")
{
    // Columns: rows of A, whole pieces of k and of n, and bytes of an element of A and of B. Folds
    // are limited by loading, by passes, or by both.
    const rsa::ArrayShape array{4, 4, 4, 512, true};
    struct Case {
        std::uint32_t m, k, n;
        levee_type a, b;
    };
    for (const Case& one : {Case{1, 16, 16, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8},
                            Case{1, 16, 8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8},
                            Case{1, 16, 16, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16},
                            Case{3, 32, 8, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8},
                            Case{2, 12, 8, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8},
                            Case{8, 12, 8, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16},
                            Case{8, 4, 4, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16}}) {
        for (const bool is_transposed : {false, true}) {
            INFO(one.m << " x " << one.k << " x " << one.n << ", types " << one.a << ", " << one.b);
            rsa::Product product{one.m, one.n, one.k, one.a, one.b, is_transposed, {}, {}};
            product.a.resize(one.m * bytes_of(one.k, one.a));
            product.b.resize(bytes_of(std::uint64_t{one.k} * one.n, one.b));
            RtlEngine engine("system.rsa", design_of(square).make, RtlEngine::Mode::Lockstep);
            (void)engine.multiply({product}, array.accumulator_rows);
            const std::uint64_t rule = operation_cycles(
                array,
                cost_of(array, {one.m, one.k, one.n, product.passes(), 4 * bytes_of(2, one.b)}));
            CHECK(engine.rtl_cycles() == rule + 5);
        }
    }
}

TEST_CASE("in an oblong array, a transposed product's pieces are those of its stored rows")
{
    rsa::Product product = ones(9, 14, 10); // There are 2 x 2 pieces of up to 7 columns and 5 rows.
    for (const bool is_transposed : {true, false}) {
        product.is_transposed = is_transposed;
        if (!is_transposed)
            std::swap(product.k, product.n), product.a.assign(9 * 10, 1);
        RtlEngine engine("system.rsa", design_of(oblong).make, RtlEngine::Mode::Lockstep);
        (void)engine.multiply({product}, 512);
        // 4 folds of 9 rows, fill and drain, and five cycles. Results that leave on the shorter
        // side are delayed to match.
        CHECK(engine.rtl_cycles() == 4 * 9 + (5 + 7 - 2) + 5 + (is_transposed ? 0 : 7 - 5));
    }
}

TEST_CASE("the timing rule counts the folds of stored rows, like the array of an oblong design")
{
    ArraySystem system(nullptr, {8, 4, 32});
    system.run([&] {
        const auto folds = [&](std::uint32_t k, std::uint32_t n, bool is_transposed) {
            levee_rsa_operation op{};
            op.outer[0] = op.outer[1] = op.m0 = op.m1 = 1;
            op.k = k;
            op.n = n;
            op.a_type = op.b_type = LEVEE_TYPE_INT8;
            op.flags = is_transposed ? LEVEE_RSA_B_TRANSPOSED : 0;
            op.alpha = 1.0f;
            op.a_stride[2] = static_cast<std::int32_t>(k);
            op.b_stride[2] = static_cast<std::int32_t>(is_transposed ? k : n);
            op.out_stride[2] = static_cast<std::int32_t>(4 * n);
            op.a = system.take(k);
            op.b = system.take(std::uint64_t{k} * n);
            op.out = system.take(4ull * n);
            const std::uint64_t before = figure(system.rsa, "folds");
            REQUIRE(system.execute(0, describe(LEVEE_RSA_GEMM, op)) == LEVEE_ERROR_NONE);
            return figure(system.rsa, "folds") - before;
        };
        CHECK(folds(4, 8, true) == 1);  // The matrix has 8 stored rows of 4.
        CHECK(folds(8, 4, true) == 2);  // The matrix has 4 stored rows of 8.
        CHECK(folds(8, 4, false) == 1); // The matrix has 8 stored rows of 4.
        CHECK(folds(4, 8, false) == 2);
    });
}

TEST_CASE("lockstep stops at the first wrong sum, names it and writes waves that end there")
{
    RtlEngine engine("system.rsa", faulty, RtlEngine::Mode::Lockstep);
    CHECK_THROWS_AS(engine.multiply({ones(2, 3, 8)}, 512), LockstepDifference);
    REQUIRE(engine.failure());
    CHECK(engine.failure()->difference.signal == "out_sums_o");
    CHECK(engine.failure()->difference.where ==
          "lane 2: row 0, column 2 of product 0, pass 0 of 1");
    CHECK(engine.failure()->difference.expected == "3");
    CHECK(engine.failure()->difference.got == "4");
    check_waves(engine, "rsa");
}
