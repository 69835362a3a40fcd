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
class RtlEngine final : public Engine {
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
    std::uint64_t take_cycles() override;

    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }
    /// At the end of a run: what the design still has to say, or nothing.
    [[nodiscard]] std::optional<Difference> outstanding() { return driver_.outstanding(); }
    /// The block's time differs from the reference's by its rule.
    [[noreturn]] void fail_timing(std::uint64_t expected_cycles, std::uint64_t cycles) const;
    [[nodiscard]] Mode mode() const { return mode_; }

private:
    [[nodiscard]] std::vector<Tile> tiles_of(const Pass& pass) const;
    [[noreturn]] void fail(const Difference& difference) const;

    std::string block_;
    MakePins make_;
    Mode mode_;
    std::unique_ptr<Pins> pins_;
    Driver driver_;
    std::deque<std::vector<Tile>> recent_; // passes, for waves; the last one is under way
    std::uint64_t cycles_ = 0;
    std::uint64_t comparisons_ = 0;
    std::uint64_t score_cycles_ = 0;
};

} // namespace levee::systolic_evictor
