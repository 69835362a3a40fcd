// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/veda/core.hpp"

namespace levee::veda {

inline constexpr config::Word dataflow_words[] = {
    {"flexible", static_cast<std::int64_t>(Dataflow::Flexible)},
    {"adder_tree", static_cast<std::int64_t>(Dataflow::AdderTree)}};

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("arrays", "Arrays side by side: a power of two.", {1, 64})
        .from("VEDA, section IV-A: 2"),
    config::count32("rows", "Rows of an array: a power of two.", {2, 64})
        .from("VEDA, section IV-A: 8"),
    config::count32("columns", "Columns of an array: a power of two.", {2, 64})
        .from("VEDA, section IV-A: 8"),
    config::count32("multiplier_stages", "Registers of a multiplier.", {1, 3}).or_else("1"),
    config::count32("tree_stages", "Registers of a level of the adder trees.", {1, 8}).or_else("1"),
    config::count32("rounding_stages", "Registers of the rounding.", {0, 2}).or_else("0"),
    config::count32("partial_sums",
                    "Partial sums per result, to which products are added in turn; as many as an "
                    "adder takes cycles.",
                    {1, 2})
        .or_else("1"),
    config::quantity(
        "buffer", config::Dimension::Size,
        "Size of the buffer for partial sums, and for pieces of B that several vectors reuse.")
        .or_else("0 B"),
    config::word(
        "dataflow", dataflow_words,
        "Products that the arrays can be configured for: inner and outer products, or only "
        "inner products.")
        .or_else("flexible")
        .from("VEDA, section IV-A; the baseline of section VI"),
    config::flag("transpose", "An operand B that is stored by rows takes one extra pass before an "
                              "adder tree's product; other arrays refuse this key.")
        .or_else("true"),
    rtl_key,
    assertions_key,
};

} // namespace levee::veda
