// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/declaration.hpp"
#include "core/component/implementation.hpp"
#include "core/component/parameter.hpp"
#include "core/rtl/build/description_keys.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

namespace config {
class MapReader;
}

inline constexpr std::uint64_t shortest_cycle_is_1_ps = ps_per_second;

/// Key for the clock of a component that works in cycles (read_clock()).
inline constexpr config::Key clock_key =
    config::quantity("clock", config::Dimension::Frequency, "Clock of the component.",
                     {1, shortest_cycle_is_1_ps})
        .or_else_is("the core's");

/// Data that a memory may hold.
inline constexpr config::Word role_words[] = {{"model", LEVEE_ROLE_MODEL},
                                              {"kv", LEVEE_ROLE_KV},
                                              {"activations", LEVEE_ROLE_ACTIVATIONS},
                                              {"spill", LEVEE_ROLE_SPILL},
                                              {"code", LEVEE_ROLE_CODE},
                                              {"state", LEVEE_ROLE_STATE},
                                              {"weights_ring", LEVEE_ROLE_WEIGHTS_RING},
                                              {"kv_ring", LEVEE_ROLE_KV_RING},
                                              {"weights", LEVEE_ROLE_WEIGHTS},
                                              {"experts", LEVEE_ROLE_EXPERTS}};
inline constexpr config::Key roles_key =
    config::word_list("roles", role_words, "Kinds of data that the memory holds.").optional();

inline constexpr config::Word implementation_words[] = {
    {"tlm", static_cast<std::int64_t>(Implementation::Tlm)},
    {"rtl", static_cast<std::int64_t>(Implementation::Rtl)},
    {"lockstep", static_cast<std::int64_t>(Implementation::Lockstep)},
    {"rtl_cycle", static_cast<std::int64_t>(Implementation::RtlCycle)}};
inline constexpr config::Key implementation_key =
    config::word("impl", implementation_words, "The component's model: C++, its RTL, or both.")
        .or_else("tlm");

inline constexpr config::Key rtl_forms[] = {
    config::text("rtl", "Name of one of Levee's designs."),
    config::map("rtl", own_rtl::description_keys, "Description of your own design.")};
inline constexpr config::Key rtl_key =
    config::one_of("rtl", rtl_forms,
                   "one of Levee's designs, or a map that describes your own (docs/own_rtl.md)",
                   "RTL design to use when `impl` is not `tlm`.")
        .or_else_is("the first design of the configured size");
inline constexpr config::Key assertions_key =
    config::flag("assertions", "Run the design with its assertions and cover points.")
        .or_else("false");

/// Returns all keys of a component of this type, including those that every component has. The span
/// stays valid. It is empty if the type declares no keys.
[[nodiscard]] std::span<const config::Key> keys_of(const Declaration& declaration);

/// Returns the type's own keys that `reader`, made with keys_of(declaration), has read, with their
/// values.
[[nodiscard]] std::vector<Parameter> parameters_read(const config::MapReader& reader,
                                                     const Declaration& declaration);

} // namespace levee
