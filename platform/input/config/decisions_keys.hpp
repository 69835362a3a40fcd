// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"

namespace levee::config {

inline constexpr Key decisions_keys[] = {
    text("recorded", "File that a functional run wrote with `--record-decisions`.").optional(),
    any("statistics", "a map of statistics, or a file of `tech/decisions`",
        "Statistics from which decisions are drawn (docs/timing_only.md).")
        .optional(),
    real("expert_skew", 0, 10,
         "Exponent s of the experts' popularity: the i-th expert of a layer is drawn in proportion "
         "to i^-s; 0: all equally likely.")
        .or_else("0"),
};

} // namespace levee::config
