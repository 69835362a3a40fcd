// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/cim/units.hpp"
#include "ip/cpq/keys.hpp"

namespace levee::cim {

inline constexpr config::Limits unit_counts{1, 1 << 20};
inline constexpr config::Limits sample_tokens{0, 1 << 16};
inline constexpr config::Limits buffer_sizes{1, std::uint64_t{1} << 40};

inline constexpr config::Word pipeline_words[] = {
    {"none", static_cast<std::int64_t>(Pipeline::None)},
    {"intra_core", static_cast<std::int64_t>(Pipeline::IntraCore)},
    {"inter_core", static_cast<std::int64_t>(Pipeline::InterCore)}};
inline constexpr config::Word input_words[] = {{"1 B", 1}, {"2 B", 2}};

inline constexpr config::Key units_key =
    config::count32("units", "Number of units in a core.", unit_counts);
inline constexpr config::Key cycles_key = config::count32(
    "cycles", "Cycles of an operation; the next one can start one cycle after its end.",
    unit_counts);

inline constexpr config::Key macro_keys[] = {
    config::count32("inputs", "Inputs of a macro, which are elements of a vector.", unit_counts),
    config::count32("outputs", "Outputs of a macro, which are sums for a vector.", unit_counts),
    config::count32("cycles", "Cycles for a vector of 8-bit inputs.", unit_counts),
};
inline constexpr config::Key engine_keys[] = {
    units_key,
    config::count32("lanes", "Elements that an engine processes in an operation.", unit_counts),
    cycles_key,
};
inline constexpr config::Key unit_keys[] = {
    units_key,
    config::count32("elements", "Elements that a unit processes in an operation.", unit_counts),
    cycles_key,
};

/// Keys of `reading`, the interpretation of the paper. The defaults describe the machine that the
/// paper's text describes. Other values reproduce its published figures.
inline constexpr config::Key reading_keys[] = {
    config::count32(
        "sample_prompt",
        "Prompt tokens of the sample that sets every token's time and energy; without a "
        "sample (0, 0) each token has its own.",
        sample_tokens)
        .or_else("0"),
    config::count32("sample_generated", "Generated tokens of the sample.", sample_tokens)
        .or_else("0"),
    config::count32(
        "log_block",
        "A sample's energy counts only whole blocks of this many cycles; 0: all cycles.",
        {0, 1 << 20})
        .or_else("0"),
    config::real("off_chip_factor", 1, 1e9,
                 "Speed-up of off-chip memory if `off_chip_timed` is false.")
        .or_else("1"),
    config::flag("operands_awaited",
                 "An operation starts when its inputs are ready; otherwise one starts every cycle.")
        .or_else("true"),
    config::flag("off_chip_timed", "Transfers to and from off-chip memory take time.")
        .or_else("true"),
    config::flag("labels_needed", "Labels are as wide as the levels need; otherwise one bit.")
        .or_else("true"),
    config::flag("quantiser_once",
                 "Sparsity reduces only the quantiser's operations; otherwise also its power.")
        .or_else("true"),
    config::flag("dequantises_codes",
                 "Dequantisers work on non-zero codes; otherwise on all unpruned values.")
        .or_else("true"),
    config::flag("own_beats",
                 "Each token takes its own time in each stage; otherwise, every stage takes the "
                 "time of the slowest stage for the slowest token.")
        .or_else("true"),
    config::flag("projections_beside",
                 "In a pipeline Q, K and V are computed in parallel; otherwise one after "
                 "another in their stage.")
        .or_else("true"),
    config::flag(
        "inputs_once",
        "Only the first layer reads a prompt's vectors off chip; otherwise every layer does.")
        .or_else("true"),
    config::flag("buffers_read", "Stored and loaded data are also read from the buffer; otherwise "
                                 "only storing costs energy.")
        .or_else("true"),
    config::flag("buffer_holds_its_size", "The next matrix is loaded even if a feed-forward "
                                          "matrix is as large as the buffer.")
        .or_else("true"),
};

inline constexpr config::Key level_keys[] = {
    config::count32("tokens",
                    "Longest sequence for this entry, in tokens; more than in the "
                    "previous entry.",
                    {1}),
    config::count32("levels", "Levels of a channel up to this length.", {1, 1 << 16}),
};

/// Scenario keys for the measured statistics of a compressed KV cache.
inline constexpr config::Key compression_keys[] = {
    config::real("pruned", 0, 1, "Share of the elements below the threshold."),
    config::real("zeros", 0, 1,
                 "Share of the elements that are zero after quantisation or pruned."),
    config::real("restored", 0, 1, "Share of the elements that are zero after dequantisation."),
    config::real("key_bits", 0, 16, "Bits of a key's code."),
    config::real("value_bits", 0, 16, "Bits of a value's code."),
    config::maps("levels", level_keys, "Levels of quantisation by the number of tokens.").filled(),
};

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("cores", "Cores, each with the weights of one decoder layer.", {1, 4096}),
    config::count32("hidden", "Largest width of the residual stream.", unit_counts),
    config::count32("feed_forward", "Largest number of outputs of the first feed-forward matrix.",
                    unit_counts),
    config::map("macro", macro_keys,
                "Macro of 8-bit weights; a matrix is divided among many macros."),
    config::count32(
        "accumulator_cycles",
        "Cycles of an accumulator; each output has one, which starts together with its macros.",
        unit_counts),
    config::map("key_engines", engine_keys, "Engines that multiply queries by keys."),
    config::map("value_engines", engine_keys, "Engines that multiply probabilities by values."),
    config::map("softmax", unit_keys, "Units of the softmax."),
    config::map("norm", unit_keys,
                "Units of each of the two norms, before attention and before the feed-forward "
                "matrices."),
    config::map("activation", unit_keys, "Units of the activation function."),
    config::map("pruning", unit_keys, "Units that prune keys and values."),
    config::map("quantisation", unit_keys, "Units that quantise keys and values."),
    config::map("dequantisation", unit_keys, "Units that dequantise keys and values."),
    config::map("rotation", unit_keys,
                "Units for rotary position embedding; without them, models that use it are "
                "refused.")
        .optional(),
    config::quantity("global_buffer", config::Dimension::Size, "Size of a core's global buffer.",
                     buffer_sizes),
    config::quantity("scale_buffer", config::Dimension::Size,
                     "Size of a core's buffer of scales and zeros.", buffer_sizes),
    config::count32("scale_bits", "Bits of an entry of the scale buffer.", {1, 64}),
    config::quantity("buffer_bandwidth", config::Dimension::Bandwidth,
                     "Bandwidth of each of the two buffers."),
    config::quantity("off_chip_bandwidth", config::Dimension::Bandwidth,
                     "Bandwidth of off-chip memory."),
    config::word(
        "pipeline", pipeline_words,
        "Overlap of tokens: none, in the stages of one core, or in the stages of all cores.")
        .from("Titanus, section IV"),
    config::word("input", input_words,
                 "Size of a macro's input element; two bytes take twice the macro's cycles.")
        .or_else("1 B"),
    config::map("reading", reading_keys,
                "Interpretation of the paper; the defaults describe a consistent machine.")
        .optional(),
    config::map(
        "compression", compression_keys,
        "Measured compression of keys and values, for timing-only runs under the policy `full`.")
        .optional(),
    config::map("expected", cpq::expected_keys,
                "Expected sparsity and levels of rows, for statistical timing-only runs of the "
                "policy `cpq`.")
        .optional(),
    rtl_key,
    assertions_key,
};

} // namespace levee::cim
