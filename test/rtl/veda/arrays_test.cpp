// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/pins.hpp"
#include "ip/veda/rtl.hpp"
#include "ip/veda/timing.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/rtl/veda/random_work.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <vector>

using namespace levee;
using namespace levee::test;
using namespace levee::veda;

namespace {

const Design& large = designs()[0];
const Design& small = designs()[1];

/// Runs operations without waiting for results, in lockstep with reference and boundary.
void check_stream(const Design& design, std::size_t count, std::uint64_t seed, const Gates& gates)
{
    std::mt19937_64 random(seed);
    const std::unique_ptr<Pins> pins = design.make_checked({});
    Driver driver(*pins, true);
    driver.set_gates(gates);
    ReferenceCore reference(design.size);
    std::vector<RandomWork> works;
    for (std::size_t i = 0; i < count; ++i)
        works.emplace_back(design.size, random);
    std::vector<std::vector<std::uint32_t>> expected(count), got(count);
    std::uint64_t least = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<Product> products = works[i].products(expected[i]);
        reference.begin(works[i].configuration);
        reference.run(products);
        least += beats_of(design.size, works[i].configuration, products);
        driver.run(works[i].configuration, works[i].products(got[i]));
    }
    driver.drain();
    CHECK_FALSE(driver.outstanding());
    CHECK_FALSE(driver.cycle());
    CHECK_FALSE(driver.value());
    CHECK(driver.comparisons() >= driver.cycles());
    CHECK(driver.cycles() >= least);
    CHECK(pins->failed_assertions() == 0);
    for (std::size_t i = 0; i < count; ++i) {
        INFO("operation " << i);
        CHECK(got[i] == expected[i]);
    }
}

/// Returns random gates that block each channel in one of `one_in` cycles on average.
Gates random_gates(std::mt19937_64& random, unsigned one_in)
{
    return [&random, one_in] {
        return (random() % one_in != 0 ? 1u : 0u) | (random() % one_in != 0 ? 2u : 0u);
    };
}

} // namespace

TEST_CASE("by hand: the order of additions in the tree, between pieces, and in outer mode")
{
    // 2^12 * 2^12 = 2^24 absorbs a 1 that is added to it, but not a 2.
    constexpr std::uint16_t one = 0x3C00, big = 0x6C00, minus_big = 0xEC00;
    const std::vector<std::uint16_t> a{big, one, one, minus_big, one, one, one, one};
    const std::vector<std::uint16_t> b{big, one, one, big, one, one, one, one};
    std::uint32_t out = 0;
    Product product{8, 1, a.data(), b.data(), 1, false, &out};
    const auto result = [&](const Design& design, Mode mode) {
        RtlCore rtl("veda", design.make, RtlCore::Mode::Rtl);
        rtl.begin({mode, false, true});
        rtl.run({&product, 1});
        const std::uint64_t cycles = rtl.finish();
        CHECK(cycles == (mode == Mode::Inner ? 1 : 8) + fill_cycles(design.size, mode));
        return out;
    };
    // In ((2^24 + 1) + (1 - 2^24)) + (2 + 2), the first 1 is lost.
    CHECK(result(small, Mode::Inner) == 0x4500); // This is 5 in FP16.
    CHECK(result(large, Mode::Inner) == 0x4500);
    // In 2^24 + 1 + 1 - 2^24 + 4, both ones are lost.
    CHECK(result(small, Mode::Outer) == 0x4400); // This is 4 in FP16.
    CHECK(result(large, Mode::Outer) == 0x4400);
    // An array of 16 lanes computes two pieces. The first piece gives 5 and the second twice 2^24,
    // to which the 5 is added: 2^25 + 5 is rounded to 2^25 + 4.
    std::vector<std::uint16_t> long_a = a, long_b = b;
    long_a.resize(32);
    long_b.resize(32);
    long_a[16] = long_b[16] = long_a[31] = long_b[31] = big;
    Product pieces{32, 1, long_a.data(), long_b.data(), 1, false, &out};
    RtlCore rtl("veda", small.make, RtlCore::Mode::Rtl);
    rtl.begin({Mode::Inner, true, false});
    rtl.run({&pieces, 1});
    CHECK(rtl.finish() == 2 + fill_cycles(small.size, Mode::Inner));
    CHECK(out == 0x4C000001);
}

TEST_CASE("random products, one by one, have the reference's bits and cycles")
{
    std::mt19937_64 random(7);
    for (const Design* design : {&small, &large}) {
        RtlCore rtl("veda", design->make, RtlCore::Mode::Rtl);
        ReferenceCore reference(design->size);
        for (int i = 0; i < (design == &small ? 400 : 60); ++i) {
            INFO("product " << i << " of " << design->name);
            const RandomWork work(design->size, random);
            std::vector<std::uint32_t> expected, got;
            reference.begin(work.configuration);
            reference.run(work.products(expected));
            rtl.begin(work.configuration);
            rtl.run(work.products(got));
            CHECK(rtl.finish() == reference.finish());
            CHECK(got == expected);
            CHECK_FALSE(rtl.outstanding());
        }
    }
}

TEST_CASE("back to back operations: reconfiguration between beats loses and mixes nothing")
{
    check_stream(small, 500, 11, {});
    check_stream(large, 50, 12, {});
}

TEST_CASE("back to back operations with stalled operands and results")
{
    std::mt19937_64 random(5);
    check_stream(small, 300, 21, random_gates(random, 2));
    check_stream(small, 300, 22, random_gates(random, 10));
    check_stream(small, 300, 23, [&random] { return random() % 8 == 0 ? 3u : 1u; });
    check_stream(large, 20, 24, random_gates(random, 3));
}

TEST_CASE("a reset empties the arrays")
{
    const std::uint16_t one = 0x3C00;
    std::uint32_t out = 0;
    const Product product{1, 1, &one, &one, 1, false, &out};
    for (const Design& design : designs()) {
        INFO(design.name);
        const std::unique_ptr<Pins> pins = design.make({});
        for (const Mode mode : {Mode::Inner, Mode::Outer}) {
            Driver driver(*pins, true);
            driver.run({mode, false, false}, {&product, 1});
            CHECK(driver.outstanding());
            driver.reset();
            CHECK_FALSE(driver.outstanding());
        }
    }
}

TEST_CASE("state that a reset leaves in the arrays is detected, however deep they are")
{
    const std::uint16_t one = 0x3C00;
    std::uint32_t out = 0;
    const Product product{1, 1, &one, &one, 1, false, &out};
    for (const Design& design : designs())
        for (const Mode mode : {Mode::Inner, Mode::Outer}) {
            INFO(design.name);
            UnresetPins<Ports> pins(design.make({}));
            Driver driver(pins, true);
            driver.run({mode, false, false}, {&product, 1});
            driver.reset();
            const std::optional<Difference> stray = driver.outstanding();
            REQUIRE(stray);
            CHECK(stray->signal == "valid_o");
            CHECK(stray->cycle == fill_cycles(design.size, mode) - 1);
        }
}

TEST_CASE(
    "in the block's time: results after the last operands, from a design that cannot be saved")
{
    constexpr std::size_t groups = 24; // This is more than the engine stores to repeat a failure.
    RtlCore rtl("veda", large.make_checked, RtlCore::Mode::Cycle);
    const std::uint16_t one = 0x3C00;
    std::vector<std::uint16_t> a(groups);
    std::vector<std::uint32_t> out(groups);
    rtl.begin_operation({});
    rtl.begin({Mode::Inner, false, false});
    for (std::size_t i = 0; i < groups; ++i) {
        a[i] = static_cast<std::uint16_t>(one + i);
        const Product product{1, 1, &a[i], &one, 1, false, &out[i]};
        rtl.run({&product, 1});
    }
    const std::uint64_t cycles = rtl.finish();
    CHECK(cycles == groups + fill_cycles(large.size, Mode::Inner));
    CHECK(rtl.run_deferred({[] { return true; }, [] {}}) == cycles);
    CHECK(rtl.comparisons() == groups);
    CHECK_FALSE(rtl.failure());
    CHECK_FALSE(rtl.outstanding());
    for (std::size_t i = 0; i < groups; ++i)
        CHECK(out[i] == 0x3F800000 + (i << 13)); // The result is 1 + i / 1024 as FP32.
}

namespace {

/// The arrays with one fault: a result has a wrong bit, comes a cycle late, or is lost.
class Faulty final : public PinsDecorator<Ports> {
public:
    enum class Fault { Bit, Late, Lost };
    Faulty(Fault fault, const RtlPinsOptions& options)
        : PinsDecorator(small.make_checked(options)), fault_(fault)
    {
    }

    Outputs settle(const Inputs& in) override
    {
        Inputs inside = in;
        const bool acts = cycle() >= 60 && (fault_ == Fault::Lost || !done_);
        if (acts && fault_ == Fault::Late)
            inside.take_result = false;
        Outputs out = pins().settle(inside);
        if (!acts || !out.has_result)
            return out;
        done_ = true;
        if (fault_ == Fault::Bit) {
            lanes_.assign(out.lane, out.lane + size().lanes());
            lanes_[0] ^= 1;
            out.lane = lanes_.data();
        } else {
            out.has_result = false;
        }
        return out;
    }

private:
    Fault fault_;
    bool done_ = false;
    std::vector<std::uint32_t> lanes_;
};

template <Faulty::Fault fault> std::unique_ptr<Pins> make_faulty(const RtlPinsOptions& options)
{
    return std::make_unique<Faulty>(fault, options);
}

/// Returns the difference that lockstep reports for a design.
Difference difference_of(MakePins make, std::filesystem::path waves = {})
{
    const std::vector<std::uint16_t> ones(64 * 4, 0x3C00);
    std::vector<std::uint32_t> out(64);
    const Product product{4, 64, ones.data(), ones.data(), 4, true, out.data()};
    RtlCore rtl("system.veda", make, RtlCore::Mode::Lockstep);
    rtl.begin({Mode::Inner, false, true});
    try {
        rtl.run({&product, 1});
        (void)rtl.finish();
    } catch (const LockstepDifference& difference) {
        CHECK(difference.block == "system.veda");
        CHECK(rtl.failure());
        CHECK(rtl.comparisons() > 0);
        if (!waves.empty())
            CHECK(difference.waves(waves).recurs);
        return difference.difference;
    }
    FAIL("lockstep found no difference");
    return {};
}

} // namespace

TEST_CASE("lockstep finds a wrong bit, a late result and a lost one, and names the place")
{
    const std::filesystem::path waves =
        std::filesystem::temp_directory_path() /
        ("levee_veda_" + std::to_string(std::random_device{}()) + ".fst");
    const Difference bit = difference_of(make_faulty<Faulty::Fault::Bit>, waves);
    CHECK(bit.kind == Difference::Kind::Value);
    CHECK(bit.signal == "result_o, lane 0");
    CHECK(bit.where.find("n = ") != std::string::npos);
    CHECK(bit.expected == "0x00004400"); // This is 4 in FP16.
    CHECK(bit.got == "0x00004401");
    CHECK(std::filesystem::file_size(waves) > 0);
    std::filesystem::remove(waves);
    const Difference late = difference_of(make_faulty<Faulty::Fault::Late>);
    CHECK(late.kind == Difference::Kind::Cycle);
    CHECK(difference_of(make_faulty<Faulty::Fault::Lost>).signal == "valid_o");
}

TEST_CASE("in lockstep the design agrees, and the number of comparisons is reported")
{
    std::mt19937_64 random(13);
    RtlCore rtl("veda", large.make, RtlCore::Mode::Lockstep);
    for (int i = 0; i < 20; ++i) {
        const RandomWork work(large.size, random);
        std::vector<std::uint32_t> got;
        rtl.begin(work.configuration);
        rtl.run(work.products(got));
        (void)rtl.finish();
    }
    check_agrees(rtl);
}
