// SPDX-License-Identifier: Apache-2.0
// Keys that components of all types have.
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/declaration.hpp"
#include "core/component/implementation.hpp"
#include "core/component/parameter.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

namespace config {
class MapReader;
}

inline constexpr std::uint64_t shortest_cycle_is_1_ps = 1'000'000'000'000;

/// Of a component that works in cycles (read_clock).
inline constexpr config::Key clock_key =
    config::quantity("clock", config::Dimension::Frequency, "Clock of the component.",
                     {1, shortest_cycle_is_1_ps})
        .or_else_is("the core's");

/// What a memory may hold.
inline constexpr config::Word role_words[] = {{"model", LEVEE_ROLE_MODEL},
                                              {"kv", LEVEE_ROLE_KV},
                                              {"activations", LEVEE_ROLE_ACTIVATIONS},
                                              {"spill", LEVEE_ROLE_SPILL},
                                              {"code", LEVEE_ROLE_CODE},
                                              {"state", LEVEE_ROLE_STATE},
                                              {"weights_ring", LEVEE_ROLE_WEIGHTS_RING},
                                              {"kv_ring", LEVEE_ROLE_KV_RING},
                                              {"weights", LEVEE_ROLE_WEIGHTS}};
inline constexpr config::Key roles_key =
    config::word_list("roles", role_words, "What the memory holds.").optional();

inline constexpr config::Word implementation_words[] = {
    {"tlm", static_cast<std::int64_t>(Implementation::Tlm)},
    {"rtl", static_cast<std::int64_t>(Implementation::Rtl)},
    {"lockstep", static_cast<std::int64_t>(Implementation::Lockstep)},
    {"rtl_cycle", static_cast<std::int64_t>(Implementation::RtlCycle)}};
/// Of a component that has operations.
inline constexpr config::Key implementation_key =
    config::word("impl", implementation_words, "What does its operations.").or_else("tlm");

/// Of a component that has RTL (core/component/rtl_choice.hpp).
inline constexpr config::Key rtl_key =
    config::any("rtl", "a design of the tree, or a map that describes one (docs/own_rtl.md)",
                "Design in the component's place with another `impl` than `tlm`.")
        .or_else_is("the first design of the configured size");
inline constexpr config::Key assertions_key =
    config::flag("assertions", "The design has its assertions and cover points.").or_else("false");

/// Keys of a component of this type: of every component, and its own. They stay where they are.
/// Empty if the type declares none.
[[nodiscard]] std::span<const config::Key> keys_of(const Declaration& declaration);

/// What `reader`, which has keys_of(declaration), has read of the type's own keys.
[[nodiscard]] std::vector<Parameter> parameters_read(const config::MapReader& reader,
                                                     const Declaration& declaration);

/// Gives one of these another text: where its value alone would not tell.
void show_as(std::vector<Parameter>& parameters, std::string_view name, const std::string& text);

} // namespace levee
