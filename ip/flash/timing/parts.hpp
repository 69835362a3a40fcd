// SPDX-License-Identifier: Apache-2.0
// The parts of a channel that decide or compute; each can be replaced.
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::flash {

/// Transfers on a channel's bus.
enum class BusUse : std::uint8_t { Result, Input, Command, DataOut, DataIn };

/// The transfers that wait for a channel's bus.
class BusQueues {
public:
    /// Time since which a transfer of this use has been ready; empty if none is.
    [[nodiscard]] virtual std::optional<Time> waits(BusUse use) = 0;

protected:
    ~BusQueues() = default;
};

/// Chooses the next transfer on a channel's bus, and the part of a page that is sent before others
/// may follow.
class SliceControl {
public:
    virtual ~SliceControl() = default;
    /// A use with a waiting transfer; empty if there is none. Called when the bus is free.
    [[nodiscard]] virtual std::optional<BusUse> next(BusQueues& queues) = 0;
    /// Bytes to send, 1 to `left`, of a page of which `left` remain.
    [[nodiscard]] virtual std::uint32_t slice(std::uint32_t left) const = 0;
};

/// A die's compute core.
class ComputeCore {
public:
    virtual ~ComputeCore() = default;
    [[nodiscard]] virtual Time compute(std::uint64_t macs) const = 0;
};

/// Slice control with a configuration's arbitration and slices.
class ConfiguredSliceControl : public SliceControl {
public:
    explicit ConfiguredSliceControl(const TimingConfig& config)
        : arbitration_(config.arbitration), slice_bytes_(config.slice_bytes)
    {
    }
    [[nodiscard]] std::optional<BusUse> next(BusQueues& queues) override;
    [[nodiscard]] std::uint32_t slice(std::uint32_t left) const override;

private:
    Arbitration arbitration_;
    std::uint32_t slice_bytes_;
};

/// Compute core with a configuration's rate.
class ConfiguredCore : public ComputeCore {
public:
    explicit ConfiguredCore(const TimingConfig& config) : config_(config) {}
    [[nodiscard]] Time compute(std::uint64_t macs) const override { return config_.compute(macs); }

private:
    TimingConfig config_;
};

/// Parts of a channel, which must outlive it.
struct ChannelParts {
    SliceControl* slice_control = nullptr;   ///< null: by the configuration
    std::vector<const ComputeCore*> cores{}; ///< Cores by die; empty: as configured.
};

} // namespace levee::flash
