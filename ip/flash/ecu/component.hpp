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
    bool is_rtl = false; ///< Whether RTL decodes; otherwise the reference does.
    RtlMode mode = RtlMode::Rtl;
    const Design* design = nullptr; ///< Valid after fit().
    bool has_assertions = false;
    Clock clock; ///< Clock of the core, otherwise of the system.
};

/// Reads `rtl:` and `assertions:` if `impl:` asks for RTL.
[[nodiscard]] Choice read_choice(config::MapReader& reader, const ComponentDefaults& defaults);
/// Chooses a design for pages of this code unless one is named, and notes it in the plan. Throws
/// config::Error at the component's keys if no design, or not the named one, decodes it.
void fit(const config::MapReader& reader, const std::optional<CodeFormat>& code, Choice& choice,
         ComponentPlan& plan);
/// Null for the reference.
[[nodiscard]] std::unique_ptr<RtlDecoder> make_decoder(const std::string& block,
                                                       const Choice& choice);

} // namespace levee::flash::ecu
