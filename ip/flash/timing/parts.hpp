// SPDX-License-Identifier: Apache-2.0
// Replaceable parts of a channel: the arbitration of its bus, and its cores.
#pragma once

#include "ip/flash/timing/requests.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::flash {

/// Transfers on a channel's bus.
enum class BusUse : std::uint8_t { Result, Input, Command, DataOut, DataIn };

class BusQueues {
public:
    /// Returns the time since which a transfer of this use has been ready; empty if none is ready.
    [[nodiscard]] virtual std::optional<Time> waits(BusUse use) = 0;

protected:
    ~BusQueues() = default;
};

/// Chooses the next transfer on a channel's bus, and how many bytes of a page are sent before
/// others may follow.
class SliceControl {
public:
    virtual ~SliceControl() = default;
    /// Returns a use that has a waiting transfer; empty if no transfer waits. Called when the bus
    /// is free.
    [[nodiscard]] virtual std::optional<BusUse> next(BusQueues& queues) = 0;
    /// Returns the number of bytes of a page to send next, from 1 to `left`. `left` bytes of the
    /// page have not been sent yet.
    [[nodiscard]] virtual std::uint32_t slice(std::uint32_t left) const = 0;
};

/// The compute core of a die.
class ComputeCore {
public:
    virtual ~ComputeCore() = default;
    [[nodiscard]] virtual Time compute(std::uint64_t macs) const = 0;
};

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

class ConfiguredCore : public ComputeCore {
public:
    explicit ConfiguredCore(const TimingConfig& config) : config_(config) {}
    [[nodiscard]] Time compute(std::uint64_t macs) const override { return config_.compute(macs); }

private:
    TimingConfig config_;
};

/// Parts of a channel, which must outlive the channel.
struct ChannelParts {
    SliceControl* slice_control = nullptr;   ///< Null: the configured one.
    std::vector<const ComputeCore*> cores{}; ///< Cores by die; empty: as configured.
};

} // namespace levee::flash
