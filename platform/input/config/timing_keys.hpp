// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/takes_time.hpp"
#include "core/config/keys.hpp"

namespace levee::config {

inline constexpr Word takes_time_words[] = {
    {"true", static_cast<std::int64_t>(TakesTime::All)},
    {"streams", static_cast<std::int64_t>(TakesTime::Streams)},
    {"false", static_cast<std::int64_t>(TakesTime::Nothing)}};

/// Returns the key for one component; `name` is the component's name.
[[nodiscard]] constexpr Key component_timing_form(const char* name)
{
    return word(name, takes_time_words,
                "Time that the named component's operations take: all, only that of their "
                "transfers, or none.")
        .or_else("true");
}

inline constexpr Key timing_keys[] = {
    flag("latency",
         "Memories, bus and stream ports have a latency before an operation's first result.")
        .or_else("true"),
    flag("fetch", "Fetching a descriptor takes time.").or_else("true"),
    component_timing_form(any_name.data()),
};

inline constexpr Word timing_words[] = {{"real", false}, {"ideal", true}};
inline constexpr Key timing_word_form =
    word("timing", timing_words,
         "Everything takes time (`real`), or only transfers and the core's instructions (`ideal`).")
        .or_else("real");
inline constexpr Key timing_forms[] = {
    timing_word_form, map("timing", timing_keys, "Causes and components that take time.")};

} // namespace levee::config
