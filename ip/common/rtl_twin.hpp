// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/lockstep.hpp"
#include "ip/common/rtl_pins.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace levee {

/// Common part of all blocks' RTL twins: the design and its driver, the recent work for waveforms,
/// and the handling of a deviation that ends the run. A block's twin derives from this class and
/// from the interface of its reference.
///
/// `Driver` is an RtlDriver with a constructor (Pins&, bool compare_cycles). `Work` is a copy of
/// the inputs of an operation or of a part of one.
template <typename Ports, typename Driver, typename Work> class RtlTwin : public RtlStatus {
public:
    using Mode = RtlMode;

    [[nodiscard]] std::uint64_t rtl_cycles() const override { return driver_.cycles(); }
    [[nodiscard]] bool in_lockstep() const override { return mode_ == RtlMode::Lockstep; }
    [[nodiscard]] std::uint64_t comparisons() const override
    {
        return driver_.comparisons() + comparisons_;
    }
    [[nodiscard]] const std::optional<LockstepDifference>& failure() const override
    {
        return failure_;
    }
    [[nodiscard]] std::optional<Difference> outstanding() override { return driver_.outstanding(); }

protected:
    using Recent = std::deque<std::shared_ptr<const Work>>;
    /// Runs one item of work on a driver and compares it with the reference, to record waveforms.
    using Replay = void (*)(Driver& driver, const typename Ports::Size& size, const Work& work);

    /// `block` is its path, for messages.
    RtlTwin(std::string block, MakeRtlPins<Ports> make, RtlMode mode, Replay replay)
        : block_(std::move(block)), make_(make), mode_(mode), replay_(replay), pins_(make({})),
          driver_(*pins_, mode == RtlMode::Lockstep)
    {
    }

    [[nodiscard]] const std::string& block() const { return block_; }
    [[nodiscard]] Driver& driver() { return driver_; }
    [[nodiscard]] const typename Ports::Size& size() const { return pins_->size(); }

    /// Records an item of work for waveforms: a design may carry state from one item to the next.
    void remember(std::shared_ptr<const Work> work)
    {
        constexpr std::size_t pieces = 8;
        recent_.push_back(std::move(work));
        if (recent_.size() > pieces)
            recent_.pop_front();
    }

    /// In lockstep, throws unless an operation took the number of cycles that the timing rule
    /// states.
    void check_cycles(const char* signal, std::uint64_t expected, std::uint64_t got)
    {
        if (!in_lockstep())
            return;
        ++comparisons_;
        if (got != expected)
            fail({Difference::Kind::Cycle, signal, "", got, std::to_string(expected),
                  std::to_string(got)});
    }

    void fail_if_different()
    {
        if (driver_.value())
            fail(*driver_.value());
        if (driver_.cycle())
            fail(*driver_.cycle());
    }

private:
    [[noreturn]] void fail(const Difference& difference)
    {
        failure_.emplace(
            block_, difference,
            [make = make_, replay = replay_, recent = recent_](const std::filesystem::path& fst) {
                return write_waves(make, replay, recent, fst);
            });
        throw LockstepDifference(*failure_);
    }

    /// Repeats the recent work from reset, recording the last item's waveform from its first cycle
    /// to the deviation.
    static bool write_waves(MakeRtlPins<Ports> make, Replay replay, const Recent& recent,
                            const std::filesystem::path& fst)
    {
        const auto pins = make({});
        Driver driver(*pins, true);
        for (const auto& work : recent) {
            if (work == recent.back())
                pins->trace(fst);
            replay(driver, pins->size(), *work);
        }
        pins->trace({});
        return driver.value() || driver.cycle();
    }

    std::string block_;
    MakeRtlPins<Ports> make_;
    RtlMode mode_;
    Replay replay_;
    std::unique_ptr<RtlPins<Ports>> pins_;
    Driver driver_;
    Recent recent_;
    std::uint64_t comparisons_ = 0; ///< in addition to the driver's
    std::optional<LockstepDifference> failure_;
};

} // namespace levee
