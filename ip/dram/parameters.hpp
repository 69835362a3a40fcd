// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::dram {

/// JEDEC timing: times in picoseconds; members named `_clocks` in clocks of the command clock.
struct Timing {
    Picoseconds clock = 0;               ///< tCK, the command clock
    Picoseconds read_latency = 0;        ///< RL: read command to first data
    Picoseconds write_latency = 0;       ///< WL: write command to first data
    Picoseconds rcd_read = 0;            ///< tRCD: activate to read
    Picoseconds rcd_write = 0;           ///< tRCD: activate to write
    Picoseconds rp = 0;                  ///< tRPpb: precharge of one bank to activate
    Picoseconds rp_all = 0;              ///< tRPab: precharge of all banks to activate or refresh
    Picoseconds ras = 0;                 ///< tRAS: activate to precharge
    Picoseconds rc = 0;                  ///< tRC: activate to activate of one bank
    Picoseconds rrd_s = 0;               ///< tRRD_S: activates of different bank groups
    Picoseconds rrd_l = 0;               ///< tRRD_L: activates within a bank group
    Picoseconds faw = 0;                 ///< tFAW: window of at most four activates in a rank
    Picoseconds wr = 0;                  ///< tWR: end of write data to precharge
    Picoseconds rtp = 0;                 ///< tRTP: read to precharge
    Picoseconds wtr_s = 0;               ///< tWTR_S: end of write data to read, other bank group
    Picoseconds wtr_l = 0;               ///< tWTR_L: end of write data to read, same bank group
    Picoseconds rfc_all = 0;             ///< tRFCab: all-bank refresh
    Picoseconds rfc_bank = 0;            ///< tRFCpb: per-bank refresh
    Picoseconds refi = 0;                ///< tREFI: each bank is due for one refresh per tREFI
    Picoseconds refresh_to_activate = 0; ///< per-bank refresh to activate of another bank
    Picoseconds refresh_to_refresh = 0;  ///< per-bank refresh to per-bank refresh of another bank
    unsigned ccd_s_clocks = 0;           ///< tCCD_S: column commands, different bank groups
    unsigned ccd_l_clocks = 0;           ///< tCCD_L: column commands within a bank group
    unsigned turnaround_clocks = 0;      ///< data bus idle from read to write
    unsigned rank_clocks = 0;            ///< tRTRS: data bus idle between ranks
    unsigned ppd_clocks = 0;             ///< tPPD: precharge to precharge of a rank
    unsigned postponed_refreshes = 0;    ///< all-bank refreshes that may be overdue (JEDEC: 8)
};

/// Time for which each command occupies the command bus, in clocks.
struct CommandBus {
    unsigned activate_clocks = 0;
    unsigned column_clocks = 0;
    unsigned precharge_clocks = 0;
    unsigned refresh_clocks = 0;
    bool split = false; ///< row and column commands have separate buses (HBM)
    /// tAAD: an activate is two commands, the second at most this many clocks after the first, with
    /// other commands between (LPDDR5). Times after it count from the second. 0: one command.
    unsigned activate_window = 0;
};

/// One channel is one data bus with its own banks; a pseudo-channel of HBM2 counts as a channel.
struct Organisation {
    unsigned channels = 0;
    unsigned ranks = 0;        ///< per channel
    unsigned bank_groups = 0;  ///< per rank
    unsigned banks = 0;        ///< per bank group
    std::uint64_t rows = 0;    ///< per bank
    unsigned page_bytes = 0;   ///< bytes of one row
    unsigned data_bits = 0;    ///< width of a channel's data bus
    unsigned burst_length = 0; ///< beats
    /// Bytes of data in a burst that also has check bits; 0: all bytes are data.
    unsigned burst_data = 0;
    std::uint64_t data_rate = 0;      ///< beats per second
    std::uint64_t capacity_bytes = 0; ///< bytes of all channels
};

enum class Field { Column, Channel, BankGroup, Bank, Rank, Row };

/// A digit of the address above the burst, from the lowest up.
struct AddressField {
    Field field = Field::Column;
    std::uint64_t values = 1;
};

struct Mapping {
    std::vector<AddressField> low_to_high;
    /// The channel is combined with a hash of the whole address above it (joined()).
    bool channel_hash = false;
    bool bank_hash = false; ///< bank and bank group are combined with a hash of the row
};

/// Selects the waiting burst that is served first (arbitration.hpp).
enum class ArbitrationMode { FirstReady, InOrder };
/// Selects when the bus turns between reads and writes (batching.hpp).
enum class BatchingMode { Watermark, ReadsFirst };
/// Method for the times of streams. ByKind: from the steady state of the running kind of mix
/// (model.hpp). BySchedule: each burst is scheduled (running_mix.hpp). Automatic: the run's traffic
/// selects one of these methods (price_choice.hpp).
enum class PriceMode { Automatic, ByKind, BySchedule };

/// The modelled memory controller.
struct Controller {
    Picoseconds latency = 0;     ///< latency of a request outside the DRAM, both ways added
    unsigned read_queue = 0;     ///< number of reads that can wait per channel
    unsigned write_queue = 0;    ///< number of writes that can wait per channel
    unsigned write_high = 0;     ///< number of waiting writes that starts a drain
    unsigned batch = 0;          ///< consecutive bursts in one direction while the other one waits
    unsigned patience = 0;       ///< bursts that may overtake a burst before it becomes urgent
    unsigned bytes_per_turn = 0; ///< bytes of a stream's turn at the queues (deficit round robin)
    unsigned refresh_slack = 0;  ///< refreshes owed before a busy bank or rank is forced idle
    ArbitrationMode arbitration = ArbitrationMode::FirstReady;
    BatchingMode batching = BatchingMode::Watermark;
    PriceMode prices = PriceMode::Automatic;
};

enum class RefreshMode { PerBank, AllBank };

struct Parameters {
    std::string standard; ///< name reported in results
    Organisation organisation;
    Timing timing;
    CommandBus command_bus;
    Mapping mapping;
    Controller controller;
    RefreshMode refresh = RefreshMode::PerBank;

    [[nodiscard]] unsigned banks_per_rank() const
    {
        return organisation.bank_groups * organisation.banks;
    }
    /// Bytes of data.
    [[nodiscard]] unsigned burst_bytes() const
    {
        return organisation.burst_data != 0
                   ? organisation.burst_data
                   : organisation.data_bits * organisation.burst_length / 8;
    }
    [[nodiscard]] unsigned bursts_per_row() const
    {
        return organisation.page_bytes / burst_bytes();
    }
    [[nodiscard]] double peak_bytes_per_s() const
    {
        return static_cast<double>(organisation.data_rate) * burst_bytes() * organisation.channels /
               organisation.burst_length;
    }
};

/// Returns the number of beats of the data bus per clock: 2, 4, 8 or 16, if the clock is exact or
/// rounded to a picosecond; 0 for any other number.
[[nodiscard]] unsigned beats_per_clock(const Parameters& parameters);

/// Returns the number of values of all digits of `field` together, limited to
/// 2^63.
[[nodiscard]] std::uint64_t values_of(const Mapping& mapping, Field field);

/// Returns the faults of `parameters`, one sentence for each, with the key; empty: valid.
[[nodiscard]] std::vector<std::string> validate(const Parameters& parameters);

/// The timing as programmed into a controller: whole clocks, rounded up.
struct Clocks {
    std::uint64_t read_latency, write_latency, burst, rcd_read, rcd_write, rp, rp_all, ras, rc,
        rrd_s, rrd_l, faw, wr, rtp, wtr_s, wtr_l, rfc_all, rfc_bank, refresh_to_activate,
        refresh_to_refresh, ccd_s, ccd_l, turnaround, rank, ppd;
    std::uint64_t refi; ///< rounded down: a refresh must not be late
};
[[nodiscard]] Clocks clocks(const Parameters& parameters);

} // namespace levee::dram
