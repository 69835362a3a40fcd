// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"
#include "core/rtl/rtl_pins.hpp"
#include "core/rtl/rtl_recorder.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Returns the gates of a block's channels. Benches close them at random; with `impl: rtl_cycle`
/// they close while data streams stall the design. Bit i permits a transfer on channel i in this
/// cycle. An offered transfer stays offered until it is accepted.
using Gates = std::function<unsigned()>;

/// Options for running one operation. `Result` is the result of one vector, tile, page or job.
template <typename Result> struct RtlRunOptions {
    using Results = std::vector<Result>;

    std::span<const Result> expected;      ///< Values to compare with; empty: none.
    std::span<const Result> shown;         ///< Values that appear only in waveforms.
    bool stop_at_cycle_difference = false; ///< True: stops at the first difference in a cycle.
                                           ///< False: compares values up to the end.
    /// Stops after this number of cycles, even if the operation is not complete.
    std::uint64_t most_cycles = UINT64_MAX;

    [[nodiscard]] std::span<const Result> known() const
    {
        return expected.empty() ? shown : expected;
    }
};

/// Returns the results of the reference, from the block's expected_of(work) or expected_of(size,
/// work).
template <typename Size, typename Work>
[[nodiscard]] auto expected_results([[maybe_unused]] const Size& size, const Work& work)
{
    if constexpr (requires { expected_of(size, work); })
        return expected_of(size, work);
    else
        return expected_of(work);
}

/// Common part of all blocks' drivers. It clocks a design, compares its pins with the block's
/// Boundary in every cycle, and records the first difference of each kind. A block's driver, which
/// derives from this class, supplies the inputs, compares values, and lists the boundary's signals.
///
/// `Boundary` models the timing of the pins, without their values: reset(), Outputs settle(Inputs),
/// edge(Inputs).
template <typename Ports, typename Boundary> class RtlDriver {
public:
    using Pins = RtlPins<Ports>;
    using Inputs = typename Ports::Inputs;
    using Outputs = typename Ports::Outputs;

    virtual ~RtlDriver() = default;

    void set_gates(Gates gates) { gates_ = std::move(gates); }
    /// `tick` is called after each cycle.
    void set_tick(std::function<void()> tick) { tick_ = std::move(tick); }
    /// Call this if gates are closed intentionally, so that cycles without a transfer do not count
    /// as a deadlock.
    void excuse() { quiet_ = 0; }
    /// Begins an operation. Its cycles count from here.
    void begin() { begun_ = cycles_; }
    /// Discards all work in progress.
    virtual void reset()
    {
        pins_.reset();
        boundary_.reset();
        follows_ = compares_cycles_;
    }

    /// Passes each cycle to `recorder`, which must outlive the driver. Null stops recording. Call
    /// it before the first cycle, or when the state of the boundary is known.
    void record(RtlRecorder<Ports>* recorder) { recorder_ = recorder; }
    /// Returns the boundary model's state. Call it only between operations.
    [[nodiscard]] const Boundary& boundary() const { return boundary_; }
    void restore(const Boundary& boundary)
    {
        boundary_ = boundary;
        is_restored_ = true;
    }
    /// Whether the design has been idle since its reset.
    [[nodiscard]] bool is_fresh() const { return cycles_ == 0 && !is_restored_; }
    /// Returns the position whose outputs are expected next; empty between operations.
    [[nodiscard]] virtual RtlPlace place() const { return {}; }

    [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
    [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }
    /// First difference of each kind. A design that makes no progress counts as a difference in
    /// values.
    [[nodiscard]] const std::optional<Difference>& value() const { return value_; }
    [[nodiscard]] const std::optional<Difference>& cycle() const { return cycle_; }

    /// Clocks a design that should be idle. Returns the difference if it is not.
    [[nodiscard]] std::optional<Difference> outstanding()
    {
        if (auto due = results_due())
            return due;
        for (std::uint64_t cycle = 0; cycle < pipeline_depth(); ++cycle) {
            const Inputs idle{};
            if (const char* signal = busy_signal(pins_.settle(idle)))
                return Difference{Difference::Kind::Value, signal,           "when idle", cycle,
                                  "the idle level",        "the other level"};
            pins_.edge();
            if (follows_)
                boundary_.edge(idle);
        }
        return std::nullopt;
    }

protected:
    /// `compare_cycles`: compare with the boundary until the first difference.
    RtlDriver(Pins& pins, Boundary boundary, bool compare_cycles)
        : pins_(pins), boundary_(std::move(boundary)), compares_cycles_(compare_cycles),
          follows_(compare_cycles)
    {
    }

    /// Calls differ_in_cycle() for each signal of `got` that deviates from `want`.
    virtual void compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got) = 0;
    /// Returns the name of a signal whose level shows that the design is not idle, or null.
    [[nodiscard]] virtual const char* busy_signal(const Outputs& out) const = 0;
    /// Maximum number of cycles in which a result can be in the pipeline of a design of this size
    /// while busy_signal() returns null.
    [[nodiscard]] virtual std::uint64_t pipeline_depth() const { return 16; }
    /// Fills in expected values for the valid signals in `out`, which already has the boundary's
    /// timing signals.
    virtual void expect(const Inputs& /*in*/, Outputs& /*out*/) const {}
    /// Returns a difference if the driver still expects results.
    [[nodiscard]] virtual std::optional<Difference> results_due() const { return std::nullopt; }

    [[nodiscard]] Pins& pins() const { return pins_; }
    [[nodiscard]] unsigned open_gates(unsigned all) { return gates_ ? gates_() : all; }
    /// Cycle of the operation, from 0.
    [[nodiscard]] std::uint64_t operation_cycle() const { return cycles_ - begun_; }
    void count_comparison() { ++comparisons_; }

    /// First half of a cycle: samples the outputs and compares them with the boundary's.
    Outputs settle(const Inputs& in)
    {
        if (recorder_ != nullptr) [[unlikely]]
            show_cycle(in);
        const Outputs out = pins_.settle(in);
        if (follows_) {
            ++comparisons_;
            want_ = boundary_.settle(in);
            compare_boundary(in, want_, out);
            follows_ = !cycle_;
        }
        return out;
    }
    /// Second half: the clock edge. `moved` states whether any channel has transferred.
    void edge(const Inputs& in, bool moved)
    {
        pins_.edge();
        if (follows_)
            edge_boundary(in);
        else if (recorder_ != nullptr)
            boundary_.edge(in);
        ++cycles_;
        quiet_ = moved ? 0 : quiet_ + 1;
        if (tick_) [[unlikely]]
            tick_();
    }
    /// Detects a deadlock: no transfer for longer than the gates can block all channels.
    [[nodiscard]] bool is_stuck() const { return quiet_ > patience; }

    /// Clocks the driver's design until the operation is complete, or until the first wrong value.
    /// The driver must declare this class as a friend and define a type Progress. The driver's
    /// member `progress_`, if it has one, points to the current Progress. This class calls the
    /// driver's functions inputs(), compare_values(), observe() (whether anything moved) and
    /// give_up().
    template <typename Driver, typename Progress, typename Options>
    static void drive(Driver& driver, Progress& progress, const Options& options)
    {
        if constexpr (requires { driver.progress_ = &progress; })
            driver.progress_ = &progress;
        run_to_end(driver, progress, options);
        if constexpr (requires { driver.progress_ = &progress; })
            driver.progress_ = nullptr;
    }

    /// Compares one-bit signals for compare_boundary(). `where()` returns the place for messages.
    template <typename Where>
    void compare_timing(bool want, bool got, const char* signal, const Where& where)
    {
        if (want != got)
            differ_in_cycle(signal, where(), want ? "1" : "0", got ? "1" : "0");
    }
    /// Compares values for compare_values() and returns whether they are equal.
    bool compare_flag(bool want, bool got, const char* signal, const std::string& where)
    {
        if (want != got)
            differ_in_value(signal, where, want ? "1" : "0", got ? "1" : "0");
        return want == got;
    }

    void differ_in_value(std::string signal, std::string where, std::string expected,
                         std::string got)
    {
        differ(value_, Difference::Kind::Value, std::move(signal), std::move(where),
               std::move(expected), std::move(got));
    }
    void differ_in_cycle(std::string signal, std::string where, std::string expected,
                         std::string got)
    {
        differ(cycle_, Difference::Kind::Cycle, std::move(signal), std::move(where),
               std::move(expected), std::move(got));
    }
    void give_up(std::string signal, std::string where)
    {
        differ_in_value(std::move(signal), std::move(where), "1 at some time",
                        "nothing moved for " + std::to_string(patience) + " cycles");
        quiet_ = 0;
    }

private:
    static constexpr std::uint64_t patience = 2000;

    template <typename Driver, typename Progress, typename Options>
    static void run_to_end(Driver& driver, Progress& progress, const Options& options)
    {
        driver.begin();
        while (!progress.done() && driver.operation_cycle() < options.most_cycles) {
            const Inputs in = driver.inputs(progress);
            const Outputs out = driver.settle(in);
            if (driver.cycle() && options.stop_at_cycle_difference)
                return;
            driver.compare_values(progress, in, out);
            if (driver.value())
                return;
            driver.edge(in, driver.observe(progress, in, out));
            if (driver.is_stuck()) {
                driver.give_up(progress);
                return;
            }
        }
    }

    void edge_boundary(const Inputs& in)
    {
        if constexpr (requires { boundary_.edge(in, want_); })
            boundary_.edge(in, want_);
        else
            boundary_.edge(in);
    }
    /// Passes the expected values of this cycle to the recorder.
    void show_cycle(const Inputs& in)
    {
        if (!recorder_->begin_cycle(pins_, cycles_, place()))
            return;
        Outputs out = boundary_.settle(in);
        expect(in, out);
        recorder_->show_expected(out);
    }

    void differ(std::optional<Difference>& difference, Difference::Kind kind, std::string signal,
                std::string where, std::string expected, std::string got) const
    {
        if (!difference)
            difference = Difference{kind,
                                    std::move(signal),
                                    std::move(where),
                                    operation_cycle(),
                                    std::move(expected),
                                    std::move(got),
                                    place()};
    }

    Pins& pins_;
    Boundary boundary_;
    Outputs want_{}; ///< Expected outputs of the boundary in this cycle, while cycles are compared.
    bool compares_cycles_;
    bool follows_; ///< Cycles are compared, and none has differed from the boundary so far.
    bool is_restored_ = false;
    RtlRecorder<Ports>* recorder_ = nullptr;
    Gates gates_;
    std::function<void()> tick_;
    std::uint64_t cycles_ = 0, begun_ = 0, comparisons_ = 0, quiet_ = 0;
    std::optional<Difference> value_, cycle_;
};

} // namespace levee
