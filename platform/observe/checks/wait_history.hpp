// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Events of counters and interrupts that can cause a deadlock. Remembers the last of each.
class WaitHistory : private bus::BusObserver {
public:
    explicit WaitHistory(const Context& context);
    WaitHistory(const WaitHistory&) = delete;
    WaitHistory& operator=(const WaitHistory&) = delete;

    /// The core takes an interrupt before the instruction at pc.
    void interrupted(riscv::Interrupt interrupt, std::uint32_t pc);

    /// Describes how a counter was lowered: "; it was set from 5 to 0 at 12.5 us by the core at pc
    /// 0x... <main+0x12>, without which it would be at 6". The core has waited for `wanted` since
    /// `since` (picoseconds). Empty if the counter has never been lowered.
    [[nodiscard]] std::string lowered(std::uint32_t counter, std::uint32_t wanted,
                                      std::uint64_t since) const;
    /// Time at which the sync unit's comparator was last written to, in picoseconds.
    [[nodiscard]] std::uint64_t armed_ps() const { return armed_ps_; }
    /// "; the last interrupt, of sync, was taken at ...", for a sleeping core; empty if it has
    /// taken none.
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
        /// Instructions executed up to that time, or to its completion.
        std::uint64_t instructions = 0;
    };

    /// The register that a transaction has written, of the unit with the counters.
    [[nodiscard]] std::optional<std::uint32_t> written(const bus::Transaction& transaction) const;
    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    void changed(std::uint32_t counter);
    void requested(const std::string& source, riscv::Plic::Request request);

    const Context& context_;
    const SyncCounters* counters_ = nullptr;
    std::string unit_;                  ///< Name of the unit with the counters.
    std::vector<std::uint32_t> values_; ///< values of the counters
    std::vector<std::optional<Lowered>> lowered_;
    Lowered* latest_ = nullptr; ///< Latest lowered request; no access has passed the bus since.
    std::uint64_t armed_ps_ = 0;
    std::optional<Taken> taken_;
};

} // namespace levee::checks
