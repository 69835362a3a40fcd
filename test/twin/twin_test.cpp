// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/module_sources.hpp"
#include "core/shipped/shipped.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/pins_decorator.hpp"
#include "test/twin/pins.hpp"
#include "test/twin/rtl.hpp"

namespace levee::inverter {

namespace {

/// Flips bit 3 of the fifth word.
class FaultyPins final : public test::PinsDecorator<Ports> {
public:
    using PinsDecorator::PinsDecorator;
    explicit FaultyPins(const RtlPinsOptions& options)
        : PinsDecorator(designs().front().make(options))
    {
    }
    Outputs settle(const Inputs& inputs) override
    {
        Outputs out = pins().settle(inputs);
        taken_ += out.out_valid && inputs.out_ready ? 1 : 0;
        if (taken_ == 5)
            out.out_data ^= 8;
        return out;
    }

private:
    int taken_ = 0;
};

std::unique_ptr<Pins> make_faulty(const RtlPinsOptions& options)
{
    return std::make_unique<FaultyPins>(options);
}

} // namespace

TEST_CASE("the twin on the page about adding RTL equals its reference")
{
    test::check_covered(designs().front(), 200, 1, 2);
}

TEST_CASE("lockstep of the page's twin reports which word is wrong")
{
    RtlEngine right("inverter", designs().front().make, RtlMode::Lockstep);
    CHECK(right.invert({0, 1, 0xFFFF}) == std::vector<std::uint32_t>{0xFFFF, 0xFFFE, 0});
    CHECK(right.comparisons() > 3);

    RtlEngine wrong("inverter", make_faulty, RtlMode::Lockstep);
    REQUIRE_THROWS_AS(wrong.invert({0, 1, 2, 3, 4, 5}), LockstepDifference);
    CHECK(wrong.failure()->difference.signal == "out_data_o");
    CHECK(wrong.failure()->difference.where == "word 4");
    CHECK(wrong.failure()->difference.expected == "0x0000fffb");
    CHECK(wrong.failure()->difference.got == "0x0000fff3");
}

TEST_CASE("the page's twin is built again after one of its files was edited")
{
    const std::filesystem::path sources = shipped().sources;
    const std::vector<std::filesystem::path> files = own_rtl::module_sources(sources);
    for (const char* const name : {"inverter.sv", "pins.hpp"})
        CHECK(std::ranges::find(files, sources / "test/twin" / name) != files.end());
}

} // namespace levee::inverter
