// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/storage_module.hpp"
#include "core/units/stats.hpp"
#include "ip/dram/burst_counter.hpp"
#include "ip/dram/model.hpp"
#include "ip/dram/self_refresh.hpp"
#include "ip/dram/stream_activity.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace levee::dram {

struct Config {
    Parameters parameters;
    bool allow_dmi = false; ///< gives a core direct memory access, which takes no simulated time
    /// Size of the address range if it exceeds the capacity. Addresses beyond the capacity have
    /// their own bytes, and the timing of the address modulo the capacity. 0: the capacity.
    std::uint64_t address_bytes = 0;
    SelfRefreshConfig self_refresh{};
};

/// A DRAM with its controller: one port for the whole capacity, timing by DramTiming.
class Dram : public StorageModule {
public:
    /// Throws std::invalid_argument if the parameters are not valid.
    Dram(const sc_core::sc_module_name& name, const Config& config);

    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
    [[nodiscard]] DramTiming& timing() { return timing_; }
    [[nodiscard]] const BurstCounter& bursts() const { return bursts_; }
    [[nodiscard]] StreamActivity& stream_activity() { return stream_activity_; }
    /// Rows opened until now, by streams and the core's accesses.
    [[nodiscard]] std::uint64_t rows_opened() const;
    /// Whether the rows of all streams are counted: for prices by command, or because all were
    /// scheduled.
    [[nodiscard]] bool counts_rows() const;
    /// Number of refresh commands to all ranks so far, all-bank or per-bank, as configured.
    [[nodiscard]] std::uint64_t refreshes() const;
    /// Time in self-refresh until now, in which no refresh command is sent.
    [[nodiscard]] Picoseconds self_refreshed() const;

    void report(Stats& stats) const;
    /// A warning for the run's report if prices by kind are not accurate for its streams.
    /// `by_schedule`: the override that schedules the streams.
    [[nodiscard]] std::string caveat(const std::string& by_schedule) const;

private:
    /// Share of the time in which prices by kind let blocks catch up after delays.
    [[nodiscard]] double mixed_paces() const;
    /// A warning about this share.
    [[nodiscard]] std::string pace_caveat(const std::string& by_schedule) const;
    /// A warning if all-bank refreshes make prices by kind inaccurate.
    [[nodiscard]] std::string refresh_caveat(const std::string& by_schedule) const;
    /// A warning if refreshes of single banks make prices by kind inaccurate.
    [[nodiscard]] std::string bank_refresh_caveat(const std::string& by_schedule) const;
    void use(std::uint64_t last) { used_bytes_ = std::max(used_bytes_, last + 1); }
    Picoseconds accessed(Direction direction, std::uint64_t address, unsigned bytes,
                         Picoseconds now) override;
    Picoseconds begun(const BulkExtension& stream, std::uint64_t last) override;
    FlowResource& resource() override { return timing_; }

    Config config_;
    DramTiming timing_;
    BurstCounter bursts_;
    SelfRefresh self_refresh_;
    StreamActivity stream_activity_;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;
    std::uint64_t used_bytes_ = 0; ///< up to the last byte ever accessed
};

} // namespace levee::dram
