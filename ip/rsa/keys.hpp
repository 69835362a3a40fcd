// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/rsa/timing.hpp"

namespace levee::rsa {

inline constexpr config::Word dataflow_words[] = {
    {"weight_stationary", static_cast<std::int64_t>(Dataflow::WeightStationary)},
    {"output_stationary", static_cast<std::int64_t>(Dataflow::OutputStationary)}};

inline constexpr config::Key keys[] = {
    config::text("shares",
                 "Block of type rsa whose array this block also uses, through its own queue.")
        .alone(),
    clock_key,
    config::count32("rows", "Rows of multipliers in the array.", {1, 4096}),
    config::count32("columns", "Columns of multipliers in the array.", {1, 4096}),
    config::count32("load_bytes_per_cycle", "Bytes of the stationary operand loaded per cycle.",
                    {1}),
    config::count32("accumulator_rows",
                    "Rows of partial sums that the accumulators of a column hold.", {1}),
    config::flag("overlap_loads", "The next fold is loaded while the current fold computes.")
        .or_else("true"),
    config::flag("share_reads",
                 "Neighbouring column folds share one read of A if the accumulators hold all their "
                 "partial sums.")
        .or_else("false"),
    config::word(
        "dataflow", dataflow_words,
        "Operand that stays in the multipliers while the other two pass: B, or the result.")
        .or_else("weight_stationary"),
    config::count32("passes",
                    "Passes of an INT16 operand through the 8-bit array; 1 takes the time that "
                    "papers count, with equal results.",
                    {1, 2})
        .or_else("2"),
    rtl_key,
    assertions_key,
};

} // namespace levee::rsa
