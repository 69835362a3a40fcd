// SPDX-License-Identifier: Apache-2.0
// The evictor's RTL in the place of its reference, and beside it.
#pragma once

#include "ip/systolic_evictor/driver.hpp"
#include "ip/systolic_evictor/engine.hpp"
#include "ip/systolic_evictor/pins.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::systolic_evictor {

/// A Verilated design as an Engine. It is clocked only during passes.
class RtlEngine final : public Engine, public RtlStatus {
public:
    enum class Mode {
        Rtl,     ///< what the design says goes
        Lockstep ///< and must be what the reference says, in the cycles of Boundary
    };

    /// `block`: its path, for messages.
    RtlEngine(std::string block, MakePins make, Mode mode);

    /// Throws LockstepDifference, with Mode::Rtl only for a design from which nothing comes, and
    /// std::runtime_error for more tokens than an index has bits for.
    Pair pass(const Pass& pass) override;
    /// In lockstep throws LockstepDifference unless they are as expected.
    std::uint64_t take_cycles(std::uint64_t expected) override;

    [[nodiscard]] std::uint64_t rtl_cycles() const override { return cycles_; }
    [[nodiscard]] bool in_lockstep() const override { return mode_ == Mode::Lockstep; }
    [[nodiscard]] std::uint64_t comparisons() const override { return comparisons_; }
    [[nodiscard]] const std::optional<LockstepDifference>& failure() const override
    {
        return failure_;
    }
    [[nodiscard]] std::optional<Difference> outstanding() override { return driver_.outstanding(); }

private:
    [[nodiscard]] std::vector<Tile> tiles_of(const Pass& pass) const;
    [[noreturn]] void fail(const Difference& difference);

    std::string block_;
    MakePins make_;
    Mode mode_;
    std::unique_ptr<Pins> pins_;
    Driver driver_;
    std::deque<std::vector<Tile>> recent_; // passes, for waves; the last one is under way
    std::uint64_t cycles_ = 0;
    std::uint64_t comparisons_ = 0;
    std::uint64_t score_cycles_ = 0;
    std::optional<LockstepDifference> failure_;
};

} // namespace levee::systolic_evictor
