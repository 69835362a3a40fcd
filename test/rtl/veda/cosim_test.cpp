// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/pins.hpp"
#include "test/rtl/cosim.hpp"
#include "test/rtl/late_fault.hpp"

#include <optional>
#include <string>

using namespace levee;
using namespace levee::test;
using veda::designs;

namespace {

constexpr std::size_t small = 1; // This is the number of veda_4x4.

bool takes(const veda::Inputs& in, const veda::Outputs& out)
{
    return in.beat != nullptr && out.takes_beat;
}

void spoil_lane(veda::Outputs& out)
{
    static std::vector<std::uint32_t> lanes;
    if (!out.has_result)
        return;
    lanes.assign(out.lane, out.lane + designs()[small].size.lanes());
    lanes[0] ^= 1;
    out.lane = lanes.data();
}

/// The state is a sum: its first beat loads it, and every beat uses it.
struct LateOperands {
    static bool loads(const veda::Inputs& in, const veda::Outputs& out)
    {
        return takes(in, out) && (in.beat->first & ~in.beat->odd & 1u) != 0;
    }
    static bool uses(const veda::Inputs& in, const veda::Outputs& out) { return takes(in, out); }
    static void spoil(veda::Outputs& out) { spoil_lane(out); }
};

/// The state is a result: a beat in outer mode loads it, and every result that is taken uses it.
struct LateResults {
    static bool loads(const veda::Inputs& in, const veda::Outputs& out)
    {
        return takes(in, out) && in.beat->configuration.mode == veda::Mode::Outer;
    }
    static bool uses(const veda::Inputs& in, const veda::Outputs& out)
    {
        return out.has_result && in.take_result;
    }
    static void spoil(veda::Outputs& out) { spoil_lane(out); }
};

} // namespace

TEST_CASE("Arrays: a fault that shows only in a sum's 200th operands, or in the 200th result, is "
          "detected")
{
    REQUIRE(std::string(designs()[small].name) == "veda_4x4");
    CHECK(run_cosim<veda::Ports>(make_late<veda::Ports, small, LateOperands>).value);
    CHECK(run_cosim<veda::Ports>(make_late<veda::Ports, small, LateResults>).value);
}

TEST_CASE("Arrays without a fault equal their reference, also over long stays")
{
    check_equal(designs()[small], 2000);
}
