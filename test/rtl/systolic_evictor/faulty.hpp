// SPDX-License-Identifier: Apache-2.0
// The evictor's design with one wrong bit at its pins, from the 100th cycle after its creation.
#pragma once

#include "ip/systolic_evictor/pins.hpp"
#include "test/rtl/pins_decorator.hpp"

namespace levee::test {

using systolic_evictor::Outputs;

template <auto spoil>
inline constexpr systolic_evictor::MakePins faulty =
    make_spoiled<systolic_evictor::Ports, 0, spoil, 100>;

/// A fault: inverts the lowest bit of an updated importance, or of the result's index.
inline void spoil_score(Outputs& out)
{
    out.update_score ^= 1;
}
inline void spoil_index(Outputs& out)
{
    out.result_index ^= 1;
}
/// A fault: suppresses the result.
inline void silence(Outputs& out)
{
    out.result_valid = false;
}
/// A fault: outputs an updated importance where there is none.
inline void add_update(Outputs& out)
{
    out.update_valid = true;
}
/// A fault: accepts no query in every seventh cycle.
inline Outputs delay_waves(systolic_evictor::Pins& pins, const systolic_evictor::Inputs& in,
                           std::uint64_t cycle)
{
    Outputs out = pins.settle(in);
    out.wave_ready = out.wave_ready && cycle % 7 != 0;
    return out;
}

} // namespace levee::test
