// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"
#include "platform/observe/faults/place.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <array>

namespace levee::campaign {

inline constexpr std::uint64_t most_injections = 1'000'000; // largest number of injections of a
                                                            // site
inline constexpr double most_confidence = 0.999999;
inline constexpr double longest_limit = 1000; // largest time limit of a run, as a multiple of the
                                              // fault-free run's time
inline constexpr double whole_run = 1;        // smallest time limit

inline constexpr config::Key time_form[] = {
    config::quantity("", config::Dimension::Time, "A time.", {0, UINT64_MAX / 2})};
inline constexpr config::Key when_keys[] = {
    config::list("at", time_form, "a list of times",
                 "Possible times; each fault draws one of them.")
        .optional()
        .filled(),
    config::quantity("from", config::Dimension::Time, "Earliest time of a fault.",
                     {0, UINT64_MAX / 2})
        .or_else("0 s"),
    config::quantity("to", config::Dimension::Time, "Time before which faults hit.",
                     {0, UINT64_MAX / 2})
        .or_else_is("the end of the run without a fault"),
    config::count32(
        "token",
        "The fault hits during this token of the first sequence; tokens are counted from 0.")
        .optional(),
    config::count32(
        "pass", "The fault hits in this part of the work that the program reports; counted from 0.")
        .optional(),
};

inline constexpr unsigned least_element_bits = 8, most_element_bits = 64;

inline constexpr config::Key bit_forms[] = {
    config::count("", "A bit.", {0, most_element_bits - 1}),
    config::text("", "A range of bits.").matching("^[0-9]+(-[0-9]+)?$")};

/// Keys of a site: one for each kind of place, and further keys that limit it to a part.
inline constexpr std::array narrowing_keys{
    config::quantity("from", config::Dimension::Size,
                     "First byte of the memory that faults may hit.", {0, UINT64_MAX / 2})
        .or_else("0 B"),
    config::quantity("to", config::Dimension::Size, "First byte after those that faults may hit.",
                     {1, UINT64_MAX / 2})
        .or_else_is("the memory's end"),
    config::text("within", "COMPONENT.STATE: faults hit only bits that also belong to this state.")
        .optional(),
    config::texts("only", "Registers of a block, or fields of a descriptor, that faults may hit.")
        .or_else_is("all")
        .filled()
        .without_empty_items(),
    config::count32(
        "element",
        "Bits per element of the memory: 8, 16, 32 or 64; elements are aligned to their size.",
        {least_element_bits, most_element_bits})
        .or_else("8"),
    config::list("bits", bit_forms, "a list of numbers, or of ranges such as `8-15`",
                 "Bits of each element, register or field that faults may flip.")
        .or_else_is("all")
        .filled(),
    config::flag("together", "Each fault flips all of `bits`, instead of one of them.")
        .or_else("false"),
    config::map("when", when_keys, "Times of the site's faults.").or_else_is("the study's times"),
};
inline constexpr auto site_keys = [] {
    std::array<config::Key, faults::place_kinds.size() + narrowing_keys.size()> keys{};
    std::size_t at = 0;
    for (const faults::NamedKind& kind : faults::place_kinds)
        keys[at++] = config::text(kind.name, kind.meaning).filled().optional();
    for (const config::Key& key : narrowing_keys)
        keys[at++] = key;
    return keys;
}();

inline constexpr config::Key until_keys[] = {
    config::real("width", 0.001, 1,
                 "Largest permitted width of the confidence interval of each outcome's share."),
    config::count32("batch", "Number of injections between two checks of the intervals.",
                    {1, most_injections})
        .or_else("100"),
    config::count32("most",
                    "Largest number of injections at a site, even if its intervals are wider.",
                    {1, most_injections})
        .or_else("10000"),
};

inline constexpr config::Key fault_keys[] = {
    config::named("sites", site_keys, "Places for faults, under names of your choice.").filled(),
    config::count32("number", "Number of injections at each site.", {1, most_injections})
        .needed_if({.in_place = "until"}),
    config::map(
        "until", until_keys,
        "Injects until the intervals are narrow enough, instead of a fixed `number` of times.")
        .optional(),
    config::real("confidence", 0.5, most_confidence, "Confidence level of the Wilson intervals.")
        .or_else("0.95"),
    config::count("seed", "Seed of the random places and times.").or_else("1"),
    config::real(
        "limit", whole_run, longest_limit,
        "A run hangs if it takes longer than this multiple of the simulated time of the run "
        "without a fault.")
        .or_else("4"),
    config::map("when", when_keys, "Times of faults.")
        .or_else_is("any time of the run, all equally likely"),
};

inline constexpr config::Key study_keys[] = {
    config::text("scenario",
                 "Scenario of all runs; Levee searches the study's folder, then scenarios/.")
        .filled(),
    config::text("name", "Name of the study, and of its folder in out/.")
        .filled()
        .or_else_is("the file's name"),
    config::one_of("set", sweep::override_forms, sweep::overrides_form,
                   "Overrides that apply to every run.")
        .optional(),
    config::map("faults", fault_keys, "Places, times and number of the faults."),
};

} // namespace levee::campaign
