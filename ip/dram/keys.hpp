// SPDX-License-Identifier: Apache-2.0
// Keys of a DRAM and of its standard, a map as in scenarios/tech/dram.
#pragma once

#include "core/component/keys.hpp"
#include "ip/dram/parameters.hpp"

namespace levee::dram {

inline constexpr config::Limits at_least_one{1};
inline constexpr config::Limits queue_lengths{1, 4096};

inline constexpr config::Key organisation_keys[] = {
    config::count32("channels", "Channels, each a data bus with its own banks.", at_least_one),
    config::count32("ranks", "Ranks of a channel.", at_least_one),
    config::count32("bank_groups", "Bank groups of a rank.", at_least_one),
    config::count32("banks", "Banks of a bank group.", at_least_one),
    config::count("rows", "Rows of a bank.", at_least_one),
    config::quantity("page", config::Dimension::Size, "Bytes of a row.",
                     {1, std::uint64_t{1} << 20}),
    config::count32("data_bits", "Width of a channel's data bus in bits.", {1, 4096}),
    config::count32("burst_length", "Beats of a burst.", {1, 256}),
    config::quantity("burst_data", config::Dimension::Size,
                     "Bytes of data in a burst; its other bits are check bits or metadata.",
                     {1, 1U << 17})
        .or_else_is("all bytes of a burst"),
    config::quantity("data_rate", config::Dimension::TransferRate,
                     "Transfers (beats) per second on a data line.", at_least_one),
    config::quantity("capacity", config::Dimension::Size, "Total capacity of all channels.",
                     at_least_one)
        .or_else_is("computed from the other keys"),
};

[[nodiscard]] constexpr config::Key time(const char* name, const char* meaning)
{
    return config::quantity(name, config::Dimension::Time, meaning);
}

/// JEDEC's times. For commands of several clocks they count from first clock to first clock.
inline constexpr config::Key timing_keys[] = {
    time("clock", "tCK, period of the command clock."),
    time("read_latency", "RL, from a read command to its first data."),
    time("write_latency", "WL, from a write command to its first data."),
    time("rcd_read", "tRCD, from an activate to a read."),
    time("rcd_write", "tRCD, from an activate to a write."),
    time("rp", "tRPpb, from a precharge of a bank to an activate."),
    time("rp_all", "tRPab, from a precharge of all banks to an activate or a refresh."),
    time("ras", "tRAS, from an activate to a precharge."),
    time("rc", "tRC, from an activate to the next of the same bank."),
    time("rrd_s", "tRRD_S, between activates of different bank groups."),
    time("rrd_l", "tRRD_L, between activates within a bank group."),
    time("faw", "tFAW, window in which a rank may have at most four activates."),
    time("wr", "tWR, from the end of write data to a precharge."),
    time("rtp", "tRTP, from a read to a precharge."),
    time("wtr_s", "tWTR_S, from the end of write data to a read of another bank group."),
    time("wtr_l", "tWTR_L, from the end of write data to a read of the same bank group."),
    time("rfc_all", "tRFCab, the time of a refresh of all banks."),
    time("rfc_bank", "tRFCpb, the time of a refresh of one bank."),
    time("refi",
         "tREFI, refresh interval; it must leave a bank time for a row access in addition to its "
         "refresh."),
    time("refresh_to_activate", "From a refresh of one bank to an activate of another."),
    time("refresh_to_refresh", "From a refresh of one bank to a refresh of another."),
    config::count32("ccd_s_clocks",
                    "tCCD_S, clocks between column commands of different bank groups."),
    config::count32("ccd_l_clocks", "tCCD_L, clocks between column commands within a bank group."),
    config::count32("turnaround_clocks",
                    "Clocks that the data bus is idle from a read to a write."),
    config::count32("rank_clocks", "tRTRS, clocks that the data bus is idle between ranks.")
        .or_else_is("`turnaround_clocks`"),
    config::count32("ppd_clocks", "tPPD, clocks between precharges of a rank.").or_else("0"),
    config::count32("postponed_refreshes", "Maximum number of postponed all-bank refreshes.")
        .from("JEDEC: 8"),
};

inline constexpr config::Key command_bus_keys[] = {
    config::count32("activate_clocks", "Clocks that an activate takes on the command bus."),
    config::count32("column_clocks", "Clocks that a read or a write takes on the command bus."),
    config::count32("precharge_clocks", "Clocks that a precharge takes on the command bus."),
    config::count32("refresh_clocks", "Clocks that a refresh takes on the command bus."),
    config::flag("split", "Row commands and column commands have separate buses."),
    config::count32("activate_window",
                    "tAAD, maximum clocks between the two commands of an activate, which other "
                    "commands may separate; 0: one command.")
        .or_else("0"),
};

inline constexpr config::Key mapping_keys[] = {
    config::texts("low_to_high",
                  "Fields of the address above the burst, from the lowest: with a number of bits "
                  "(`column 3`), or without one for all remaining values (`row`).")
        .matching("^ *(column|channel|bank_group|bank|rank|row)( +[0-9]+)? *$")
        .filled(),
    config::flag("channel_hash", "The channel is combined with a hash of the address above it."),
    config::flag("bank_hash", "Bank and bank group are combined with a hash of the row."),
};

inline constexpr config::Word arbitration_words[] = {
    {"first_ready", static_cast<std::int64_t>(ArbitrationMode::FirstReady)},
    {"in_order", static_cast<std::int64_t>(ArbitrationMode::InOrder)}};
inline constexpr config::Word batching_words[] = {
    {"watermark", static_cast<std::int64_t>(BatchingMode::Watermark)},
    {"reads_first", static_cast<std::int64_t>(BatchingMode::ReadsFirst)}};
inline constexpr config::Word price_words[] = {
    {"automatic", static_cast<std::int64_t>(PriceMode::Automatic)},
    {"by_kind", static_cast<std::int64_t>(PriceMode::ByKind)},
    {"by_schedule", static_cast<std::int64_t>(PriceMode::BySchedule)}};
inline constexpr config::Word refresh_words[] = {
    {"per_bank", static_cast<std::int64_t>(RefreshMode::PerBank)},
    {"all_bank", static_cast<std::int64_t>(RefreshMode::AllBank)}};

/// Number of refreshes in tREFI.
inline constexpr config::Word refresh_rate_words[] = {{"1x", 1}, {"2x", 2}, {"4x", 4}};

inline constexpr config::Key controller_keys[] = {
    time("latency", "Latency of a request outside the DRAM, both directions together."),
    config::count32("read_queue", "Maximum number of waiting read bursts in a channel.",
                    queue_lengths),
    config::count32("write_queue", "Maximum number of waiting write bursts in a channel.",
                    queue_lengths),
    config::count32("write_high", "Number of waiting writes at which the bus turns to writes."),
    config::count32(
        "batch", "Number of consecutive bursts in one direction while the other direction waits.",
        queue_lengths),
    config::count32("patience", "Bursts that may overtake a burst before it becomes urgent.",
                    queue_lengths),
    config::count32("bytes_per_turn",
                    "Bytes that a stream may request before the next stream's turn.",
                    {1, 1U << 20}),
    config::count32("refresh_slack",
                    "Number of postponed refreshes at which a busy bank must wait for a refresh."),
    config::word("arbitration", arbitration_words,
                 "The burst that goes first: one that hits an open row, or the oldest.")
        .or_else("first_ready"),
    config::word("batching", batching_words,
                 "`watermark`: writes begin by `write_high` and `batch`; `reads_first`: only if no "
                 "read waits or the write queue is full.")
        .or_else("watermark"),
    config::word(
        "prices", price_words,
        "Method for the time of streams: by the kind of mix, by a schedule, or automatic (by a "
        "schedule while streams under 64 KiB matter).")
        .or_else("automatic"),
};

inline constexpr config::Key standard_keys[] = {
    config::text("standard",
                 "Name of the standard in results; the part before the first dash is the "
                 "family."),
    config::word("refresh", refresh_words,
                 "Banks that one refresh command refreshes: one, or all of a rank."),
    config::word("refresh_rate", refresh_rate_words,
                 "Number of refreshes in tREFI, which is higher at a higher temperature.")
        .or_else("1x"),
    config::count32("channels", "Number of channels, instead of `organisation.channels`.",
                    {1, 1U << 16})
        .or_else_is("the value in `organisation`"),
    config::count32("width", "Data bits of all channels, as an alternative to `channels`.",
                    {1, 1U << 20})
        .or_else_is("the value in `organisation`"),
    config::count32("ranks",
                    "Ranks per channel, instead of `organisation.ranks`; if the mapping lacks "
                    "`rank`, its bits are placed below the row.",
                    {1, 64})
        .or_else_is("the value in `organisation`"),
    config::quantity(
        "data_rate", config::Dimension::TransferRate,
        "Data rate, instead of `organisation.data_rate`; the clock frequency is scaled "
        "with it, and other times do not change.",
        {1'000'000, 1'000'000'000'000})
        .or_else_is("the value in `organisation`"),
    config::quantity(
        "capacity", config::Dimension::Size,
        "Capacity, which replaces `organisation.rows` and the row's bits in the mapping; "
        "times do not change, and any number of rows is possible.",
        at_least_one)
        .or_else_is("the value in `organisation`"),
    config::map("organisation", organisation_keys, "Channels, banks and rows of the memory."),
    config::map("timing", timing_keys, "Timing parameters of the device."),
    config::map("command_bus", command_bus_keys,
                "Clocks that each command takes on the command bus."),
    config::map("mapping", mapping_keys, "Mapping of addresses to channels, banks and rows."),
    config::map("controller", controller_keys, "Queues and policies of the controller."),
};

inline constexpr config::Key self_refresh_keys[] = {
    config::quantity("after", config::Dimension::Time, "Idle time before self-refresh.",
                     at_least_one),
    config::quantity("exit", config::Dimension::Time,
                     "tXSR, from leaving self-refresh to the first command.")
        .or_else_is("the standard's `rfc_all`"),
};

inline constexpr config::Key keys[] = {
    config::map("standard", standard_keys,
                "Standard of the memory: a map, or a file of scenarios/tech/dram.")
        .from("JEDEC JESD209-4, JESD209-5, JESD235"),
    config::map(
        "self_refresh", self_refresh_keys,
        "Self-refresh of the whole memory while it is idle; without this key there is none.")
        .optional(),
    config::flag("allow_overcommit",
                 "Data may exceed the capacity, with a warning instead of an error.")
        .or_else("false"),
};

} // namespace levee::dram
