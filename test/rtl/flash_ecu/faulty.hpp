// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"
#include "test/rtl/pins_decorator.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace levee::test {

/// Returns the error correction unit's design of this name.
inline const flash::ecu::Design& ecu_design(const std::string& name)
{
    const auto designs = flash::ecu::designs();
    const auto found = std::find_if(designs.begin(), designs.end(),
                                    [&](const auto& design) { return design.name == name; });
    if (found == designs.end())
        throw std::logic_error("there is no design " + name);
    return *found;
}

/// The design for small pages, with one wrong signal at its pins from the 100th cycle after its
/// creation.
template <auto spoil>
inline constexpr flash::ecu::MakePins faulty_ecu = make_spoiled<flash::ecu::Ports, 2, spoil, 100>;

/// A fault: inverts one bit of an output beat.
inline void spoil_data(flash::ecu::Outputs& out)
{
    out.out_data[5] ^= 4;
}
/// A fault: suppresses all outputs.
inline void silence(flash::ecu::Outputs& out)
{
    out.out_valid = out.done_valid = false;
}
/// A fault: accepts no beat in every seventh cycle.
inline flash::ecu::Outputs delay_beats(flash::ecu::Pins& pins, flash::ecu::Inputs in,
                                       std::uint64_t cycle)
{
    const bool is_late = cycle % 7 == 0;
    in.in_valid = in.in_valid && !is_late;
    flash::ecu::Outputs out = pins.settle(in);
    out.in_ready = out.in_ready && !is_late;
    return out;
}

} // namespace levee::test
