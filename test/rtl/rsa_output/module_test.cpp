// SPDX-License-Identifier: Apache-2.0
// Tests the output-stationary array's RTL in a system in place of its reference. Checks results in
// memory, cycles by the timing rule, the largest sums, and reports of differences.
#include "core/numerics/tensor.hpp"
#include "ip/rsa/module.hpp"
#include "ip/rsa/output/pins.hpp"
#include "ip/rsa/output/rtl.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/unit/blocks/bench.hpp"
#include "test/unit/blocks/random_product.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <utility>

namespace {

using namespace levee;
using namespace levee::test;
using rsa::output::RtlEngine;
using rsa::output::Shape;

const rsa::output::Design& design_of(const Shape& shape)
{
    for (const rsa::output::Design& design : rsa::output::designs())
        if (design.size == shape)
            return design;
    throw std::runtime_error("there is no output-stationary design of this shape");
}
constexpr Shape square{4, 4}, oblong{5, 7};

std::unique_ptr<RtlEngine> hardware(RtlEngine::Mode mode, const Shape& shape)
{
    return std::make_unique<RtlEngine>("system.rsa", design_of(shape).make, mode);
}

rsa::ArrayShape array_of(const Shape& shape)
{
    return {
        shape.rows, shape.columns, shape.columns, 5, true, false, rsa::Dataflow::OutputStationary};
}

struct ArraySystem : Bench {
    RtlEngine* engine;
    rsa::Rsa rsa;

    ArraySystem(std::unique_ptr<RtlEngine> its_engine, const Shape& shape)
        : Bench("bench", {}, 256'000'000'000), engine(its_engine.get()),
          rsa("rsa", {Clock{1'000'000'000}, array_of(shape), false, queue_config}, fabric,
              std::move(its_engine))
    {
        connect(rsa.queue);
    }
    void check_products(std::uint32_t count)
    {
        run([&] {
            const std::uint64_t start = mark();
            for (std::uint32_t seed = 0; seed < count; ++seed) {
                release(start);
                test::Product product(*this, seed);
                product.fill_output();
                INFO("seed " << seed);
                CHECK(execute(0, describe(LEVEE_RSA_GEMM, product.op)) == LEVEE_ERROR_NONE);
                CHECK(product.output() == product.expected());
            }
        });
    }
};

/// A design with one sum that is too large by one.
constexpr rsa::output::MakePins faulty =
    make_spoiled<rsa::output::Ports, 1, [](rsa::output::Outputs& out) {
        out.sums[2] += (out.lanes >> 2 & 1) != 0 ? 1 : 0;
    }>;

/// Returns a product in which all bytes of A are `a` and all bytes of B are `b`.
rsa::Product filled(std::uint32_t m, std::uint32_t k, std::uint32_t n,
                    std::pair<levee_type, std::uint8_t> a, std::pair<levee_type, std::uint8_t> b)
{
    rsa::Product product{m, n, k, a.first, b.first, true, {}, {}};
    product.a.assign(m * bytes_of(k, a.first), a.second);
    product.b.assign(n * bytes_of(k, b.first), b.second);
    return product;
}

rsa::Product ones(std::uint32_t m, std::uint32_t k, std::uint32_t n)
{
    return filled(m, k, n, {LEVEE_TYPE_INT8, 1}, {LEVEE_TYPE_INT8, 1});
}

} // namespace

TEST_CASE(
    "output-stationary RTL in the array's place computes random products of all types, in memory")
{
    ArraySystem system(hardware(RtlEngine::Mode::Rtl, square), square);
    system.check_products(60);
    check_runs(*system.engine);
}

TEST_CASE("lockstep of the output-stationary RTL in a system")
{
    ArraySystem system(hardware(RtlEngine::Mode::Lockstep, oblong), oblong);
    system.check_products(30);
    check_agrees(*system.engine);
}

TEST_CASE("with a byte per column and whole columns, the rule is the output-stationary RTL's, plus "
          "four cycles per operation")
{
    // Columns: rows of A, k, columns of B, bytes of an element of A and of B, and size of groups of
    // k. A fold takes as long as its k passes, or as long as its rows take to leave. Some folds are
    // only partly filled or have a shorter last group.
    struct Case {
        std::uint32_t m, k, n;
        levee_type a, b;
        std::uint32_t group;
    };
    for (const Shape& shape : {square, oblong}) {
        const rsa::ArrayShape array = array_of(shape);
        const std::uint32_t r = shape.rows, c = shape.columns;
        for (const Case& one : {Case{r, 16, c, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8, 0},
                                Case{2 * r, 33, 3 * c, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8, 0},
                                Case{2 * r, 9, c, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16, 0},
                                Case{1, 40, 2 * c, LEVEE_TYPE_INT16, LEVEE_TYPE_INT4, 0},
                                Case{r + 2, 7, 2 * c, LEVEE_TYPE_INT8, LEVEE_TYPE_INT16, 0},
                                Case{2 * r, 1, 2 * c, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8, 0},
                                Case{3 * r, 2, c, LEVEE_TYPE_INT8, LEVEE_TYPE_INT4, 0},
                                Case{r, 64, 2 * c, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8, 16},
                                Case{r, 27, c, LEVEE_TYPE_INT8, LEVEE_TYPE_INT8, 8}}) {
            INFO(r << " rows, " << one.m << " x " << one.k << " x " << one.n << ", types " << one.a
                   << ", " << one.b << ", groups of " << one.group);
            rsa::Product product = filled(one.m, one.k, one.n, {one.a, 0}, {one.b, 0});
            product.group = one.group;
            const auto engine = hardware(RtlEngine::Mode::Lockstep, shape);
            (void)engine->multiply({product}, array.accumulator_rows);
            const rsa::ProductCost cost = cost_of(
                array, {one.m, one.k, one.n, product.passes(), bits_of_type(one.b), one.group});
            CHECK(engine->rtl_cycles() == operation_cycles(array, cost) + 4);
        }
    }
}

TEST_CASE("products follow one another without a gap, with partial pieces in all directions")
{
    const auto engine = hardware(RtlEngine::Mode::Lockstep, oblong);
    for (const std::uint32_t m : {1u, 5u, 11u})
        for (const std::uint32_t k : {1u, 8u, 35u})
            for (const std::uint32_t n : {1u, 7u, 16u}) {
                INFO(m << " x " << k << " x " << n);
                const auto sums = engine->multiply({ones(m, k, n), ones(1, k, n)}, 512);
                CHECK(sums[0] == std::vector<std::int64_t>(std::size_t{m} * n, k));
                CHECK(sums[1] == std::vector<std::int64_t>(n, k));
            }
    // Two folds of 5 rows by 7 columns have 20 waves each, and the second follows the first without
    // a gap.
    const std::uint64_t before = engine->rtl_cycles();
    (void)engine->multiply({ones(5, 20, 7), ones(5, 20, 7)}, 512);
    CHECK(engine->rtl_cycles() - before == 40 + (5 + 7 - 2) + 5 + 4);
}

TEST_CASE("the largest sums that a descriptor may have fit the registers of the array")
{
    const auto engine = hardware(RtlEngine::Mode::Rtl, square);
    // The sums have 2^15 products (-32768)^2, 2^15 products 32767 * (-32768), and 2^16 products
    // (-32768) * (-128).
    rsa::Product wide{1, 2, 1 << 15, LEVEE_TYPE_INT16, LEVEE_TYPE_INT16, true, {}, {}};
    for (std::uint32_t i = 0; i < wide.k; ++i)
        wide.a.insert(wide.a.end(), {0x00, 0x80});
    wide.b = wide.a;
    for (std::uint32_t i = 0; i < wide.k; ++i)
        wide.b.insert(wide.b.end(), {0xFF, 0x7F});
    CHECK(engine->multiply({wide}, 512)[0] ==
          std::vector<std::int64_t>{std::int64_t{1} << 45, -(std::int64_t{32767} << 30)});
    rsa::Product narrow{1, 1, 1 << 16, LEVEE_TYPE_INT16, LEVEE_TYPE_INT8, true, {}, {}};
    for (std::uint32_t i = 0; i < narrow.k; ++i)
        narrow.a.insert(narrow.a.end(), {0x00, 0x80});
    narrow.b.assign(narrow.k, 0x80);
    CHECK(engine->multiply({narrow}, 512)[0] == std::vector<std::int64_t>{std::int64_t{1} << 38});
}

TEST_CASE("lockstep of the output-stationary RTL stops at the first wrong sum, names it "
          "and writes waves that end there")
{
    RtlEngine engine("system.rsa", faulty, RtlEngine::Mode::Lockstep);
    CHECK_THROWS_AS(engine.multiply({ones(2, 3, 8)}, 512), LockstepDifference);
    REQUIRE(engine.failure());
    CHECK(engine.failure()->difference.signal == "out_sums_o");
    // The last row leaves first, so its sum is the first wrong one.
    CHECK(engine.failure()->difference.where == "lane 2: row 1, column 2 of product 0, group 0");
    CHECK(engine.failure()->difference.expected == "3");
    CHECK(engine.failure()->difference.got == "4");
    check_waves(engine, "rsa_output");
}
