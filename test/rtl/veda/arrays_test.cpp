#include "ip/veda/model.hpp"
#include "ip/veda/rtl.hpp"
#include "ip/veda/timing.hpp"
#include "test/rtl/veda/random_work.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::test;
using namespace levee::veda;

namespace {

constexpr ArrayShape large{2, 8, 8};
constexpr ArrayShape small{2, 2, 2};

/// One operation of one group, drained.
void check_one(RtlCore& rtl, ReferenceCore& reference, const RandomWork& work)
{
    std::vector<std::uint32_t> expected, got;
    const std::vector<Product> expected_products = work.products(expected);
    const std::vector<Product> got_products = work.products(got);
    reference.begin(work.configuration);
    reference.run(expected_products);
    rtl.begin(work.configuration);
    rtl.run(got_products);
    CHECK(rtl.finish() == reference.finish());
    CHECK(got == expected);
}

/// Operations that follow each other without waiting for results.
void check_stream(const ArrayShape& shape, std::size_t count, std::uint64_t seed,
                  RtlCore::Stalls stalls)
{
    std::mt19937_64 random(seed);
    RtlCore rtl(make_pins(shape), std::move(stalls));
    ReferenceCore reference(shape);
    std::vector<RandomWork> works;
    for (std::size_t i = 0; i < count; ++i)
        works.emplace_back(shape, random);
    std::vector<std::vector<std::uint32_t>> expected(count), got(count);
    std::uint64_t least = 0;
    for (std::size_t i = 0; i < count; ++i) {
        reference.begin(works[i].configuration);
        reference.run(works[i].products(expected[i]));
        least += reference.finish() - fill_cycles(shape, works[i].configuration.mode);
        rtl.begin(works[i].configuration);
        rtl.run(works[i].products(got[i]));
    }
    (void)rtl.finish();
    CHECK(rtl.outstanding() == 0);
    CHECK(rtl.cycles() >= least);
    CHECK(rtl.pins().failed_assertions() == 0);
    for (std::size_t i = 0; i < count; ++i) {
        INFO("operation " << i);
        CHECK(got[i] == expected[i]);
    }
}

RtlCore::Stalls random_stalls(std::mt19937_64& random, unsigned one_in)
{
    return {[&random, one_in] { return random() % one_in == 0; },
            [&random, one_in] { return random() % one_in == 0; }};
}

} // namespace

TEST_CASE("by hand: the order of the tree, of its pieces, and of outer")
{
    // 2^12 * 2^12 = 2^24, which swallows a 1 added to it, but not 2.
    constexpr std::uint16_t one = 0x3C00, big = 0x6C00, minus_big = 0xEC00;
    const std::vector<std::uint16_t> a{big, one, one, minus_big, one, one, one, one};
    const std::vector<std::uint16_t> b{big, one, one, big, one, one, one, one};
    std::uint32_t out = 0;
    Product product{8, 1, a.data(), b.data(), 1, false, &out};
    const auto result = [&](const ArrayShape& shape, Mode mode) {
        RtlCore rtl(make_pins(shape));
        rtl.begin({mode, false, true});
        rtl.run({&product, 1});
        const std::uint64_t cycles = rtl.finish();
        CHECK(cycles == (mode == Mode::Inner ? 1 : 8) + fill_cycles(shape, mode));
        return out;
    };
    // ((2^24 + 1) + (1 - 2^24)) + (2 + 2): the first one is lost.
    CHECK(result(small, Mode::Inner) == 0x4500); // 5
    CHECK(result(large, Mode::Inner) == 0x4500);
    // 2^24 + 1 + 1 - 2^24 + 4: both are.
    CHECK(result(small, Mode::Outer) == 0x4400); // 4
    CHECK(result(large, Mode::Outer) == 0x4400);
    // Pieces: arrays of 4 lanes, split, two pieces of the tree.
    RtlCore rtl(make_pins(small));
    rtl.begin({Mode::Inner, true, false});
    rtl.run({&product, 1});
    CHECK(rtl.finish() == 2 + 5);
    CHECK(out == 0x40A00000);
}

TEST_CASE("random products, one by one: bits and cycles of the reference")
{
    std::mt19937_64 random(7);
    for (const ArrayShape& shape : {small, large}) {
        RtlCore rtl(make_pins(shape));
        ReferenceCore reference(shape);
        for (int i = 0; i < (shape == small ? 400 : 60); ++i) {
            INFO("product " << i << " on " << shape.rows << " x " << shape.columns);
            check_one(rtl, reference, RandomWork(shape, random));
        }
        CHECK(rtl.pins().failed_assertions() == 0);
    }
}

TEST_CASE("operations back to back: reconfiguration between beats loses and mixes nothing")
{
    check_stream(small, 500, 11, {});
    check_stream(large, 50, 12, {});
}

TEST_CASE("operations back to back, operands and results stalled")
{
    std::mt19937_64 random(5);
    check_stream(small, 300, 21, random_stalls(random, 2));
    check_stream(small, 300, 22, random_stalls(random, 10));
    check_stream(small, 300, 23, {{}, [&random] { return random() % 8 != 0; }});
    check_stream(large, 20, 24, random_stalls(random, 3));
}

TEST_CASE("the array's every cover point is hit by random operations")
{
    std::mt19937_64 random(3), stall(4);
    RtlCore rtl(make_pins(small), random_stalls(stall, 8));
    for (int i = 0; i < 400; ++i) {
        std::vector<std::vector<std::uint32_t>> got(8);
        std::vector<RandomWork> works;
        for (auto& results : got) {
            works.emplace_back(small, random);
            rtl.begin(works.back().configuration);
            rtl.run(works.back().products(results));
        }
        (void)rtl.finish();
    }
    const auto coverage = rtl.pins().coverage();
    CHECK(coverage.size() >= 40);
    for (const auto& [name, count] : coverage) {
        INFO(name);
        CHECK(count > 0);
    }
}

TEST_CASE("a reset empties the arrays")
{
    std::mt19937_64 random(9);
    auto pins = make_pins(small);
    Beat beat;
    std::uint32_t out = 0;
    const std::uint16_t one = 0x3C00;
    const Product product{1, 1, &one, &one, 1, false, &out};
    BeatSource source(small, {Mode::Inner, false, false}, {&product, 1});
    REQUIRE(source.next(beat));
    CHECK(pins->settle({&beat, true}).takes_beat);
    pins->edge();
    pins->reset();
    for (int i = 0; i < 20; ++i) {
        CHECK_FALSE(pins->settle({nullptr, true}).has_result);
        pins->edge();
    }
}

TEST_CASE("sizes that are not built are said to be none")
{
    CHECK(make_pins({1, 8, 8}) == nullptr);
    CHECK(make_pins({2, 16, 8}) == nullptr);
}
