// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"
#include "ip/flash/ecu/rtl.hpp"

#include <memory>
#include <optional>
#include <string>

namespace levee {

struct ComponentDefaults;
struct ComponentPlan;
namespace config {
class MapReader;
}

} // namespace levee

namespace levee::flash::ecu {

/// A scenario's settings for the unit's RTL.
struct Choice {
    bool is_rtl = false; ///< RTL decodes pages; otherwise, the reference does.
    RtlMode mode = RtlMode::Rtl;
    const Design* design = nullptr; ///< Valid after fit().
    bool has_assertions = false;
    Clock clock; ///< Clock of the core; by default the system's clock.
};

/// Reads `rtl:` and `assertions:` if `impl:` selects RTL.
[[nodiscard]] Choice read_choice(config::MapReader& reader, const ComponentDefaults& defaults);
/// Chooses a design that can decode pages with this code, unless the scenario names one, and
/// records it in the plan. Throws config::Error at the component's keys if no design fits, or if
/// the named design does not fit.
void fit(const config::MapReader& reader, const std::optional<CodeFormat>& code, Choice& choice,
         ComponentPlan& plan);
/// Makes a decoder that uses the chosen RTL. Returns null if the reference decodes.
[[nodiscard]] std::unique_ptr<RtlDecoder> make_decoder(const std::string& block,
                                                       const Choice& choice);

} // namespace levee::flash::ecu
