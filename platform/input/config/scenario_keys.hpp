// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/data_mode.hpp"
#include "platform/input/config/decisions_keys.hpp"
#include "platform/input/config/kv_keys.hpp"
#include "platform/input/config/model_keys.hpp"
#include "platform/input/config/observe_keys.hpp"
#include "platform/input/config/sampling_keys.hpp"
#include "platform/input/config/system_keys.hpp"
#include "platform/input/config/timing_keys.hpp"
#include "platform/input/config/workload_keys.hpp"

#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace levee::config {

inline constexpr Word data_words[] = {
    {"functional", static_cast<std::int64_t>(DataMode::Functional)},
    {"timing_only", static_cast<std::int64_t>(DataMode::TimingOnly)},
    {"phantom", static_cast<std::int64_t>(DataMode::TimingOnly)}}; // Name of timing_only before
                                                                   // version 0.3.

inline constexpr Key price_list_form[] = {
    any("", "a price list", "A map, or a file of `tech/energy`.")};
inline constexpr Key tech_keys[] = {
    any("energy", "a price list: a map, or a file of `tech/energy`",
        "Price list by which energy is counted (docs/energy.md)."),
    list("also", price_list_form, "a list of price lists", "Further price lists for the same run.")
        .optional(),
};

/// The sections of a scenario. The keys of `kv_cache` are not listed here, since they come from the
/// tables in firmware/policies.
inline constexpr Key section_keys[] = {
    map("system", system_keys, "The machine."),
    map("model", model_keys, "The model that the machine runs.").optional(),
    map("workload", workload_keys, "The firmware's task.").or_else_is("none: `--elf` is needed"),
    map("kv_cache", {}, "Firmware's cache of keys and values.").or_else_is("everything is kept"),
    word("data", data_words,
         "Tensors are computed, or only accesses and times are simulated (docs/timing_only.md).")
        .or_else("functional"),
    map("decisions", decisions_keys,
        "Source of decisions in a timing-only run of a model: a recording or statistics.")
        .optional(),
    one_of("sampling", sampling_forms, "off, or a map",
           "Only some steps and chunks are simulated; they represent all others (docs/models.md).")
        .or_else("off"),
    one_of("timing", timing_forms, "a word, or a map", "Causes and components that take time.")
        .or_else("real"),
    map("observe", observe_keys, "Outputs of a run in addition to its results.").optional(),
    map("tech", tech_keys, "Technology data.").or_else_is("none: energy is not counted"),
    count("seed", "Seed of all random draws, below 2^32; `--seed` overrides it.", {0, 0xFFFF'FFFF})
        .or_else("1"),
};

/// Returns all keys of a scenario. The span stays valid.
[[nodiscard]] inline std::span<const Key> scenario_keys()
{
    static const std::vector<Key> keys = [] {
        std::vector<Key> all(std::begin(section_keys), std::end(section_keys));
        for (Key& key : all)
            if (std::string_view(key.name) == "kv_cache")
                key.keys = kv_cache_keys();
        return all;
    }();
    return keys;
}

} // namespace levee::config
