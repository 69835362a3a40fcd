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
        .or_else_is("all that a burst moves"),
    config::quantity("data_rate", config::Dimension::TransferRate, "Beats of a data line a second.",
                     at_least_one),
    config::quantity("capacity", config::Dimension::Size, "Bytes of all channels.", at_least_one)
        .or_else_is("follows from the other keys"),
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
    time("faw", "tFAW, in which a rank has at most four activates."),
    time("wr", "tWR, from the end of write data to a precharge."),
    time("rtp", "tRTP, from a read to a precharge."),
    time("wtr_s", "tWTR_S, from the end of write data to a read of another bank group."),
    time("wtr_l", "tWTR_L, from the end of write data to a read of the same bank group."),
    time("rfc_all", "tRFCab, the time of a refresh of all banks."),
    time("rfc_bank", "tRFCpb, the time of a refresh of one bank."),
    time("refi",
         "tREFI, within which a refresh is due; it must leave a bank time for a row besides its "
         "refresh."),
    time("refresh_to_activate", "From a refresh of one bank to an activate of another."),
    time("refresh_to_refresh", "From a refresh of one bank to that of another."),
    config::count32("ccd_s_clocks", "tCCD_S, clocks between columns of different bank groups."),
    config::count32("ccd_l_clocks", "tCCD_L, clocks between columns within a bank group."),
    config::count32("turnaround_clocks",
                    "Clocks that the data bus is idle from a read to a write."),
    config::count32("rank_clocks", "tRTRS, clocks that the data bus is idle between ranks.")
        .or_else_is("`turnaround_clocks`"),
    config::count32("ppd_clocks", "tPPD, clocks between precharges of a rank.").or_else("0"),
    config::count32("postponed_refreshes", "Refreshes of all banks that may be postponed.")
        .from("JEDEC: 8"),
};

inline constexpr config::Key command_bus_keys[] = {
    config::count32("activate_clocks", "Clocks that an activate takes on the command bus."),
    config::count32("column_clocks", "Clocks that a read or a write takes."),
    config::count32("precharge_clocks", "Clocks that a precharge takes."),
    config::count32("refresh_clocks", "Clocks that a refresh takes."),
    config::flag("split", "Commands of rows and of columns have a bus each."),
    config::count32("activate_window",
                    "tAAD, the most clocks between the two commands of an activate, with others "
                    "between them; 0 is a single command.")
        .or_else("0"),
};

inline constexpr config::Key mapping_keys[] = {
    config::texts("low_to_high",
                  "Fields of the address above the burst, each with its number of bits (`column "
                  "3`) or with the remaining values, of any number (`row`).")
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

/// Refreshes in a tREFI.
inline constexpr config::Word refresh_rate_words[] = {{"1x", 1}, {"2x", 2}, {"4x", 4}};

inline constexpr config::Key controller_keys[] = {
    time("latency", "Time of a request outside the DRAM, both ways in total."),
    config::count32("read_queue", "Bursts to read that wait in a channel.", queue_lengths),
    config::count32("write_queue", "Bursts to write that wait in a channel.", queue_lengths),
    config::count32("write_high", "Number of waiting writes from which the bus turns to writes."),
    config::count32("batch", "Bursts of one direction in a row while the other waits.",
                    queue_lengths),
    config::count32("patience", "Bursts that may overtake a burst before it becomes urgent.",
                    queue_lengths),
    config::count32("bytes_per_turn", "Bytes of one stream before the next stream has its turn.",
                    {1, 1U << 20}),
    config::count32("refresh_slack", "Refreshes owed before a busy bank is made to wait."),
    config::word("arbitration", arbitration_words,
                 "The burst that goes first: one that hits an open row, or the oldest.")
        .or_else("first_ready"),
    config::word("batching", batching_words,
                 "Writes begin by `write_high` and `batch`, or only if no read waits or the write "
                 "queue is full.")
        .or_else("watermark"),
    config::word(
        "prices", price_words,
        "Method for the time of streams: by the kind of mix, by a schedule, or automatic (by a "
        "schedule while streams under 64 KiB matter).")
        .or_else("automatic"),
};

inline constexpr config::Key standard_keys[] = {
    config::text("standard", "Name in results; the part before the first dash is its family."),
    config::word("refresh", refresh_words, "Banks that a refresh takes: one, or all of a rank."),
    config::word("refresh_rate", refresh_rate_words,
                 "Refreshes in a tREFI: more at a higher temperature.")
        .or_else("1x"),
    config::count32("channels", "Channels in place of `organisation.channels`.", {1, 1U << 16})
        .or_else_is("that of `organisation`"),
    config::count32("width", "Data bits of all channels, in place of `channels`.", {1, 1U << 20})
        .or_else_is("that of `organisation`"),
    config::count32("ranks",
                    "Ranks of a channel in place of `organisation.ranks`; if the mapping lacks "
                    "`rank`, its bits go below the row.",
                    {1, 64})
        .or_else_is("that of `organisation`"),
    config::quantity(
        "data_rate", config::Dimension::TransferRate,
        "Data rate in place of `organisation.data_rate`; the clock frequency is scaled "
        "with it, all other times stay.",
        {1'000'000, 1'000'000'000'000})
        .or_else_is("that of `organisation`"),
    config::quantity(
        "capacity", config::Dimension::Size,
        "Capacity, which replaces `organisation.rows` and the row's bits in the mapping; "
        "times stay, and any number of rows is possible.",
        at_least_one)
        .or_else_is("that of `organisation`"),
    config::map("organisation", organisation_keys, "Channels, banks and rows of the memory."),
    config::map("timing", timing_keys, "Times of the device."),
    config::map("command_bus", command_bus_keys, "Clocks that commands take on their bus."),
    config::map("mapping", mapping_keys, "Place of an address in channels, banks and rows."),
    config::map("controller", controller_keys, "Queues and policies of the controller."),
};

inline constexpr config::Key self_refresh_keys[] = {
    config::quantity("after", config::Dimension::Time, "Time without use before self-refresh.",
                     at_least_one),
    config::quantity("exit", config::Dimension::Time,
                     "tXSR, from leaving self-refresh to the first command.")
        .or_else_is("the standard's `rfc_all`"),
};

inline constexpr config::Key keys[] = {
    config::map("standard", standard_keys,
                "Standard of the memory: a map, or a file of scenarios/tech/dram.")
        .from("JEDEC JESD209-4, JESD209-5, JESD235"),
    config::map("self_refresh", self_refresh_keys,
                "Self-refresh of the whole memory in pauses; without it there is none.")
        .optional(),
    config::flag("allow_overcommit",
                 "Data may exceed the capacity, with a warning in place of an error.")
        .or_else("false"),
};

} // namespace levee::dram
