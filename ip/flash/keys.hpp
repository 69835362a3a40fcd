// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"
#include "ip/flash/layout.h"
#include "ip/flash/placing.hpp"
#include "ip/flash/timing/requests.hpp"

namespace levee::flash {

inline constexpr config::Limits up_to_a_second{1, ps_per_second};
inline constexpr config::Limits up_to_a_millisecond{0, 1'000'000'000};
inline constexpr config::Limits up_to_90_days{0, 8'000'000'000'000'000'000};
inline constexpr std::uint32_t most_channels = 256, most_chips = 256, most_dies = 64;
inline constexpr config::Limits channel_numbers{0, most_channels - 1};
inline constexpr config::Limits die_numbers{0, most_chips* most_dies - 1};

inline constexpr config::Word arbitration_words[] = {
    {"read_compute_first", static_cast<std::int64_t>(Arbitration::ReadComputeFirst)},
    {"first_come", static_cast<std::int64_t>(Arbitration::FirstCome)},
    {"data_first", static_cast<std::int64_t>(Arbitration::DataFirst)}};
inline constexpr config::Word plane_words[] = {
    {"independent", static_cast<std::int64_t>(PlaneCommands::Independent)},
    {"paired", static_cast<std::int64_t>(PlaneCommands::Paired)}};
inline constexpr config::Word tile_words[] = {
    {"fastest", static_cast<std::int64_t>(TileRule::Fastest)},
    {"least_transfer", static_cast<std::int64_t>(TileRule::LeastTransfer)}};
inline constexpr config::Word split_words[] = {{"shared", LEVEE_FLASH_SPLIT_SHARED},
                                               {"diagonal", LEVEE_FLASH_SPLIT_DIAGONAL}};
inline constexpr config::Word input_words[] = {{"1 B", 1}, {"2 B", 2}};
inline constexpr std::uint32_t whole_result_bytes = 4;
inline constexpr const char* whole_results[] = {"4 B"};
inline constexpr config::Word result_words[] = {
    {"1 B", 1}, {"2 B", 2}, {whole_results[0], whole_result_bytes}};

inline constexpr config::Key rate_keys[] = {
    config::count32("channel", "Number of the channel.", channel_numbers),
    config::quantity("rate", config::Dimension::Bandwidth, "Rate of that channel."),
};

inline constexpr config::Key failed_die_keys[] = {
    config::count32("channel", "Number of the channel.", channel_numbers),
    config::count32("die", "Number of the die in its channel.", die_numbers),
    config::quantity("at", config::Dimension::Time,
                     "Time of the failure; it affects operations that begin at this time or later.",
                     up_to_90_days)
        .or_else("0 ps"),
    config::count32("moved_to",
                    "Die of the same channel whose spare blocks hold the failed die's pages; "
                    "without this key, the pages are lost.",
                    die_numbers)
        .optional(),
};

inline constexpr config::Key code_keys[] = {
    config::count32("value_bits", "Bits of a value: 8, or 4 with two values in a byte.", {4, 8}),
    config::count32("address_bits", "Bits of the address in a record of the code.", {1, 24})
        .or_else_is("the fewest that can address every value of a page"),
    config::count32("protected", "Number of values per page that the code protects.", {1}),
    config::count32("threshold_copies", "Copies of the threshold: an odd number.", {1, 255}),
    config::count32(
        "value_copies",
        "Copies of a protected value in addition to the one in the page: an even number.",
        {2, 254}),
    config::flag("die", "Pages are decoded on the die before a core uses them.").or_else("true"),
    config::flag(
        "npu", "The NPU decodes the pages that it reads; the channel then also carries the codes.")
        .or_else("false"),
};

inline constexpr config::Key wear_columns[] = {
    config::count("cycles", "Program and erase cycles of the block."),
    config::real("rate", 0, 1, "Error rate of a bit.")};
inline constexpr config::Key retention_columns[] = {
    config::quantity("time", config::Dimension::Time, "Time since the page was programmed.",
                     up_to_90_days),
    config::real("share", 0, 1, "Share of the rate of `wear`.")};
inline constexpr config::Key wear_row[] = {
    config::row("", wear_columns, "[cycles, rate]", "One point of the curve.")};
inline constexpr config::Key retention_row[] = {
    config::row("", retention_columns, "[time, share]", "One point of the curve.")};

inline constexpr config::Key error_keys[] = {
    config::list(
        "wear", wear_row, "a list of [cycles, rate], such as [[0, 1e-4], [3000, 0.01]]",
        "Error rate of a bit after a long time, by the program and erase cycles of its block.")
        .filled(),
    config::list("retention", retention_row,
                 "a list of [time, share], such as [[0 s, 0], [1 s, 1]]",
                 "Share of the rate of `wear`, by the time since the page was programmed.")
        .filled()
        .or_else_is("the whole rate from the start"),
    config::real("disturb", 0, 1, "Rate added for each read of the block since its erase.")
        .or_else("0"),
    config::count("cycles", "Program and erase cycles of every block before the run.",
                  {0, 1'000'000'000})
        .or_else("0"),
    config::count("endurance",
                  "Cycles that a block is rated for; a block with more counts as worn; 0: not "
                  "known.",
                  {0, 1'000'000'000})
        .or_else("0"),
    config::quantity("age", config::Dimension::Time,
                     "Age, at the start of the run, of the data stored before it.", up_to_90_days)
        .or_else("0 ps"),
};

inline constexpr config::Word alpha_words[] = {{"balanced", FLASH_SHARE_BALANCED},
                                               {"printed", FLASH_SHARE_PRINTED}};
inline constexpr const char* alpha_form = "balanced, printed, or a number of 0 to 1";
inline constexpr config::Key alpha_forms[] = {config::word("alpha", alpha_words, "A rule."),
                                              config::real("alpha", 0, 1, "The share itself.")};

inline constexpr config::Key placing_keys[] = {
    config::one_of("alpha", alpha_forms, alpha_form,
                   "Share of a matrix that the cores compute: for equal end times, by the paper's "
                   "printed formula, or a number.")
        .or_else("balanced")
        .from("Cambricon-LLM, section V-B"),
    config::count32("core_columns",
                    "Matrix columns of a core in every tile; replaces the rule `tile`.",
                    {1, 1 << 24})
        .or_else_is("by the rule `tile`"),
    config::word("tile", tile_words,
                 "Rule for a matrix's tile: the least time of the product, or the least transfer.")
        .or_else("fastest")
        .from("Cambricon-LLM, section V-A"),
    config::word(
        "split", split_words,
        "Whether the cores of a channel have the same columns of a tile, or different ones.")
        .or_else("shared")
        .from("Cambricon-LLM, figure 7"),
    config::word("input", input_words, "Size of an element of an input on the channel.")
        .or_else("1 B"),
    config::word("result", result_words, "Size of an element of a result on the channel.")
        .or_else(whole_results[0]),
    config::count32("result_shift",
                    "Power of two by which results of fewer than 4 bytes are scaled.", {0, 31})
        .needed_if({.with = "result", .values = whole_results, .other_values = true}),
};

inline constexpr const char* no_macs[] = {"0"};
inline constexpr config::Key keys[] = {
    config::count32("channels", "Channels of the flash.", {1, most_channels}),
    config::count32("chips", "Chips of a channel.", {1, most_chips}),
    config::count32("dies", "Dies of a chip, each with a compute core.", {1, most_dies}),
    config::count32("planes", "Planes of a die, each with two registers.", {1, 16}),
    config::count32("blocks", "Blocks of a plane.", {1, 1'000'000}),
    config::count32("pages", "Pages of a block.", {1, 100'000}),
    config::quantity("page", config::Dimension::Size, "Bytes of a page.", {64, 1 << 20}),
    config::quantity("spare", config::Dimension::Size, "Bytes of a page's spare area.",
                     {0, 1 << 20}),
    config::quantity("read", config::Dimension::Time, "tR, time to sense a page.", up_to_a_second)
        .from("Cambricon-LLM, table II"),
    config::quantity("program", config::Dimension::Time, "tPROG, time to program a page.",
                     up_to_a_second),
    config::quantity("erase", config::Dimension::Time, "tBERS, time to erase a block.",
                     up_to_a_second),
    config::quantity("command", config::Dimension::Time, "Time of a command on the channel.",
                     up_to_a_millisecond)
        .or_else("0 ps"),
    config::quantity("paired_command", config::Dimension::Time,
                     "Time of a command that addresses several planes.", up_to_a_millisecond)
        .or_else_is("that of `command`"),
    config::quantity("channel", config::Dimension::Bandwidth, "Rate of a channel.")
        .from("Cambricon-LLM, table II"),
    config::maps("channel_rates", rate_keys, "Channels whose rate differs from `channel`.")
        .optional(),
    config::maps("failed_dies", failed_die_keys, "Dies that fail.").optional(),
    config::count("macs", "Multiply-accumulates of a die's core in a cycle; 0: no core.",
                  {0, 1 << 20}),
    config::quantity("core_clock", config::Dimension::Frequency,
                     "Clock of the dies' cores and of the decoder's RTL.",
                     {config::slowest_clock_hz, 100'000'000'000})
        .needed_if({.with = "macs", .values = no_macs, .other_values = true}),
    config::quantity("buffer", config::Dimension::Size,
                     "Buffer of a core, for inputs and results together.", {1, 1 << 24})
        .from("Cambricon-LLM, section IV-B"),
    config::quantity(
        "slice", config::Dimension::Size,
        "Bytes of a page that are sent before another transfer may start; 0: whole pages.",
        {0, 1 << 24})
        .from("Cambricon-LLM, section IV-C"),
    config::count32(
        "in_flight",
        "Largest number of read-computes of a die that have their input but no result yet.",
        {1, 1024})
        .or_else("2"),
    config::word(
        "arbitration", arbitration_words,
        "Transfers that a channel serves first: inputs and results of read-computes, those "
        "that were ready first, or page data.")
        .or_else("read_compute_first")
        .from("Cambricon-LLM, section IV-C"),
    config::word("plane_commands", plane_words,
                 "Planes of a die work independently, or take one command at a time.")
        .or_else("independent"),
    config::flag(
        "cache_read",
        "A page that waits for the channel moves to the cache register, so sensing continues.")
        .or_else("true"),
    config::flag("input_ahead", "An input is sent as soon as the buffers have room, even while its "
                                "plane senses another page.")
        .or_else("false"),
    config::quantity("link", config::Dimension::Bandwidth,
                     "Rate of the link between the dies' chiplet and the NPU's."),
    config::quantity("link_latency", config::Dimension::Time, "Latency of an access over the link.")
        .or_else("0 ps"),
    config::map("ecc", code_keys,
                "Error-correcting code of every page; without it, errors are not corrected.")
        .optional()
        .from("Cambricon-LLM, section VI"),
    config::map("errors", error_keys, "Errors of the cells; without it no bit ever flips.")
        .optional(),
    config::map("placing", placing_keys, "Storage format of the matrices.").optional(),
    rtl_key,
    assertions_key,
};

} // namespace levee::flash
