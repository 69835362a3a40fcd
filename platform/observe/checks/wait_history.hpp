// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Remembers the latest events of counters and interrupts that can cause a deadlock.
class WaitHistory : private bus::BusObserver {
public:
    explicit WaitHistory(const Context& context);
    WaitHistory(const WaitHistory&) = delete;
    WaitHistory& operator=(const WaitHistory&) = delete;

    /// Called when the core takes an interrupt before it executes the instruction at pc.
    void interrupted(riscv::Interrupt interrupt, std::uint32_t pc);

    /// Describes how a counter was last lowered, such as "; it was set from 5 to 0 at 12.5 us by
    /// the core at pc 0x... <main+0x12>, without which it would be at 6". `wanted` is the value
    /// that is waited for, and `since` is the time in picoseconds at which the wait began. Empty if
    /// the counter was never lowered.
    [[nodiscard]] std::string lowered(std::uint32_t counter, std::uint32_t wanted,
                                      std::uint64_t since) const;
    /// Returns the time of the last write to the sync unit's comparator, in picoseconds.
    [[nodiscard]] std::uint64_t armed_ps() const { return armed_ps_; }
    /// Returns, for a sleeping core, a text such as "; the last interrupt, of sync, was taken at
    /// ..."; empty if the core has taken none.
    [[nodiscard]] std::string last_interrupt() const;

private:
    struct Lowered {
        std::uint32_t counter;
        std::uint32_t from;
        std::uint32_t to;
        std::uint64_t ps;
        std::string by;
    };
    struct Taken {
        riscv::Interrupt interrupt{};
        std::uint32_t pc = 0;
        std::uint64_t ps = 0;
        std::string source{};
        std::optional<std::uint64_t> claimed{}, completed{};
        /// instructions executed until it was taken or, once it is completed, until then
        std::uint64_t instructions = 0;
    };

    /// Returns the offset of the register that a transaction writes, if the register belongs to the
    /// sync unit.
    [[nodiscard]] std::optional<std::uint32_t> written(const bus::Transaction& transaction) const;
    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    void changed(std::uint32_t counter);
    void requested(const std::string& source, riscv::Plic::Request request);

    const Context& context_;
    const SyncCounters* counters_ = nullptr;
    std::string unit_;
    std::vector<std::uint32_t> values_;
    std::vector<std::optional<Lowered>> lowered_;
    Lowered* latest_ = nullptr; ///< the latest change, until the next bus access
    std::uint64_t armed_ps_ = 0;
    std::optional<Taken> taken_;
};

} // namespace levee::checks
