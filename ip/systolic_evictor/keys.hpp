// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/kv_tables/model.hpp"

namespace levee::systolic_evictor {

inline constexpr config::Word ties_words[] = {
    {"slot", static_cast<std::int64_t>(kv_tables::Ties::Slot)},
    {"earliest", static_cast<std::int64_t>(kv_tables::Ties::Earliest)}};

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("rows",
                    "Importance registers of a tile, and scores that a prefill adds in a cycle.",
                    {1, 65536})
        .from("Kelle, section 5.3"),
    config::count32("scores_per_cycle", "Scores of one query that are added in a cycle.",
                    {1, 65536})
        .or_else("1"),
    config::word("ties", ties_words,
                 "Victim among equally unimportant tokens: the lowest slot, or the earliest token "
                 "(needs wider rows).")
        .or_else("slot"),
    rtl_key,
    assertions_key,
};

} // namespace levee::systolic_evictor
