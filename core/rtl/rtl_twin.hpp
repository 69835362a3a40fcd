// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"
#include "core/rtl/rtl_driver.hpp"
#include "core/rtl/rtl_history.hpp"
#include "core/rtl/rtl_pins.hpp"
#include "core/rtl/rtl_recorder.hpp"
#include "core/rtl/rtl_replay.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace levee {

/// Runs a piece of work on a driver and compares it with the reference, to record waveforms.
template <typename Driver, typename Size, typename Work>
void replay_work(Driver& driver, const Size& size, const Work& work)
{
    const auto expected = expected_results(size, work);
    typename Driver::Options options;
    options.expected = expected;
    options.stop_at_cycle_difference = true;
    (void)driver.run(work, options);
}

/// Common part of all blocks' RTL twins: the design and its driver, recent work and states for
/// waveforms, and the handling of a deviation that ends the run. A block's twin derives from this
/// class and from the interface of its reference.
///
/// `Driver` is an RtlDriver with a constructor (Pins&, bool compare_cycles). `Work` is a copy of
/// the inputs of an operation or of a part of one.
template <typename Ports, typename Driver, typename Work> class RtlTwin : public RtlStatus {
public:
    using Mode = RtlMode;

    /// The block's clock, for simulated time.
    void set_clock(Clock clock) { clock_ = clock; }

    void attach(RtlRun run) override
    {
        run_ = std::move(run);
        if (run_.fst.empty())
            return;
        if (!pins_->can_trace())
            throw std::runtime_error(without_waves);
        recorder_.emplace(size(), clock_, run_.opcodes, run_.fst,
                          WaveWindow{run_.from_ps, run_.to_ps});
        driver_.record(&*recorder_);
    }
    void begin_operation(const RtlOperation& operation) override
    {
        operation_ = operation;
        passes_ = 0;
        deferred_.clear();
    }
    bool finish_waves() override
    {
        if (!recorder_)
            return false;
        recorder_->close(*pins_);
        driver_.record(nullptr);
        return recorder_->has_recorded();
    }

    [[nodiscard]] Clock clock() const override { return clock_; }
    [[nodiscard]] bool is_clocked_in_time() const override { return mode_ == RtlMode::Cycle; }
    std::uint64_t run_deferred(const RtlClocking& clocking) override
    {
        const std::uint64_t begun = driver_.cycles();
        driver_.set_gates([this, &clocking]() -> unsigned {
            if (clocking.is_open())
                return ~0u;
            driver_.excuse();
            return 0;
        });
        driver_.set_tick(clocking.after_cycle);
        bool follows = false;
        // The list must exist until the design has delivered its last results, because results and
        // expected values of the last items are stored in the list.
        const std::vector<Deferred> work = std::exchange(deferred_, {});
        for (const Deferred& item : work) {
            remember(item.work, item.place, std::exchange(follows, true));
            replay_(driver_, size(), *item.work);
            fail_if_different();
        }
        if constexpr (requires { driver_.drain(); })
            driver_.drain();
        fail_if_different();
        driver_.set_gates({});
        driver_.set_tick({});
        return driver_.cycles() - begun;
    }

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
    using Size = typename Ports::Size;
    /// Type of functions such as replay_work(), which repeat a piece of work.
    using Replay = void (*)(Driver& driver, const Size& size, const Work& work);

    /// `block` is the block's path, for messages.
    RtlTwin(std::string block, MakeRtlPins<Ports> make, RtlMode mode,
            Replay replay = replay_work<Driver, Size, Work>)
        : block_(std::move(block)), make_(make), mode_(mode), replay_(replay), pins_(make({})),
          driver_(*pins_, mode == RtlMode::Lockstep)
    {
    }

    [[nodiscard]] const std::string& block() const { return block_; }
    [[nodiscard]] Driver& driver() { return driver_; }
    [[nodiscard]] const typename Ports::Size& size() const { return pins_->size(); }
    /// Whether the reference's results are needed: for comparison, for waveforms, or in place of
    /// the design's results if these arrive later.
    [[nodiscard]] bool needs_expected() const { return mode_ != RtlMode::Rtl || recorder_; }
    /// Returns the options of a run, with the reference's results if they are needed.
    template <typename Results, typename Of = Driver>
    [[nodiscard]] typename Of::Options options(const Results& known) const
    {
        typename Of::Options options;
        (in_lockstep() ? options.expected : options.shown) = known;
        options.stop_at_cycle_difference = in_lockstep();
        return options;
    }

    /// Runs `work`, in lockstep if configured. If the design is clocked in simulated time, the work
    /// is only stored, and the returned results are the reference's. `last` is the position at
    /// which the work ends.
    auto perform(std::shared_ptr<const Work> work, RtlPlace place, RtlPlace last)
    {
        decltype(expected_results(size(), *work)) known;
        using Run = decltype(driver_.run(*work, options(known)));
        if (needs_expected())
            known = expected_results(size(), *work);
        if (is_clocked_in_time()) {
            defer(std::move(work), last);
            return Run{std::move(known)};
        }
        remember(work, place);
        Run run = driver_.run(*work, options(known));
        fail_if_different();
        return run;
    }
    auto perform(std::shared_ptr<const Work> work, RtlPlace place = {})
    {
        return perform(std::move(work), place, place);
    }

    /// Stores an item of work for run_deferred(). Lists of several heads are joined, because the
    /// design begins the next head while the previous one is in progress.
    void defer(std::shared_ptr<const Work> work, RtlPlace place = {})
    {
        if constexpr (requires(Work list) { list.insert(list.end(), list.begin(), list.end()); }) {
            if (!deferred_.empty() && deferred_.back().place.head != place.head) {
                auto both = std::make_shared<Work>(*deferred_.back().work);
                both->insert(both->end(), work->begin(), work->end());
                deferred_.back() = {std::move(both), place};
                return;
            }
        }
        deferred_.push_back({std::move(work), place});
    }
    /// Records an item of work that is about to run, and from time to time the design's state.
    /// `follows`: results of the previous item may still be in the design's pipeline.
    void remember(std::shared_ptr<const Work> work, RtlPlace place = {}, bool follows = false)
    {
        const std::uint64_t cycle = driver_.cycles();
        const std::uint64_t ended = begun_ps_ + clock_.span(cycle - begun_cycle_);
        begun_ps_ = std::max(run_.now_ps ? run_.now_ps() : 0, ended);
        begun_cycle_ = cycle;
        place.pass = RtlPlace::index(passes_++);
        if (recorder_)
            recorder_->begin_work(cycle, begun_ps_, operation_, place);
        Piece piece{std::move(work), operation_, place, begun_ps_, cycle, nullptr};
        if (can_save_ && !follows && history_.is_due(cycle)) {
            auto state = pins_->save();
            can_save_ = !state.empty();
            if (can_save_)
                piece.state = std::make_shared<State>(State{std::move(state), driver_.boundary()});
        }
        if (can_save_)
            history_.add(std::move(piece));
        else
            history_.add_stateless(std::move(piece));
        place_ = place;
    }

    /// In lockstep, throws unless the operation took as many cycles as the timing rule states.
    void check_cycles(const char* signal, std::uint64_t expected, std::uint64_t got)
    {
        if (!in_lockstep())
            return;
        ++comparisons_;
        if (got != expected)
            fail({Difference::Kind::Cycle, signal, "", got, std::to_string(expected),
                  std::to_string(got)});
    }

    /// Ends the run after a difference or a failed assertion. Called after each run of the driver.
    void fail_if_different()
    {
        if (driver_.value())
            fail(*driver_.value());
        if (driver_.cycle())
            fail(*driver_.cycle());
        if (const std::uint64_t failed = pins_->failed_assertions(); failed != 0)
            fail({Difference::Kind::Rule, "an assertion of the design", "named above",
                  driver_.cycles(), "none failed", std::to_string(failed) + " failed"});
        if (recorder_)
            recorder_->end_work(*pins_, driver_.cycles());
    }

private:
    using Boundary = std::remove_cvref_t<decltype(std::declval<const Driver&>().boundary())>;
    using State = RtlState<Boundary>;
    using Piece = RtlPiece<Boundary, Work>;
    struct Deferred {
        std::shared_ptr<const Work> work;
        RtlPlace place;
    };

    [[noreturn]] void fail(Difference difference)
    {
        const auto merge = [](std::int32_t& here, std::int32_t of_work) {
            here = here >= 0 ? here : of_work;
        };
        merge(difference.place.entry, place_.entry);
        merge(difference.place.head, place_.head);
        merge(difference.place.pass, place_.pass);
        merge(difference.place.tile, place_.tile);
        const RtlReplay<Ports, Driver, Boundary, Work> again(make_, replay_, clock_, run_.opcodes,
                                                             history_.pieces());
        failure_.emplace(block_, difference,
                         [again](const std::filesystem::path& fst) { return again.record(fst); });
        throw LockstepDifference(*failure_);
    }

    std::string block_;
    MakeRtlPins<Ports> make_;
    RtlMode mode_;
    Replay replay_;
    std::unique_ptr<RtlPins<Ports>> pins_;
    Driver driver_;
    Clock clock_{1'000'000'000};
    RtlRun run_;
    std::optional<RtlRecorder<Ports>> recorder_;
    RtlOperation operation_; ///< Current operation of the block.
    std::size_t passes_ = 0; ///< Number of passes in the operation.
    RtlPlace place_;         ///< Place of the current work.
    std::uint64_t begun_ps_ = 0, begun_cycle_ = 0;
    bool can_save_ = true;
    RtlHistory<Boundary, Work> history_;
    std::vector<Deferred> deferred_; ///< Deferred work of the operation.
    std::uint64_t comparisons_ = 0;  ///< Comparisons made in addition to those of the driver.
    std::optional<LockstepDifference> failure_;
};

} // namespace levee
