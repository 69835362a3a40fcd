// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"
#include "core/rtl/ports.hpp"
#include "core/rtl/rtl_driver.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::cosim {

/// Result of an operation.
struct Outcome {
    std::uint64_t cycles = 0;
    std::uint64_t comparisons = 0;
    std::optional<Difference> value; ///< First difference in values.
    std::optional<Difference> cycle; ///< First wrong cycle of a signal. Values may be correct.
};

/// Runs a design and its reference together, without SystemC, for `levee cosim`. The seed and the
/// number i determine operation i, regardless of earlier operations.
class Bench {
public:
    virtual ~Bench() = default;

    /// Draws operation `index`, runs it on the design and the reference, and compares the results.
    virtual Outcome run(std::uint64_t index) = 0;
    /// Describes operation `index` in words.
    [[nodiscard]] virtual std::string describe(std::uint64_t index) const = 0;
    [[nodiscard]] virtual RtlDesign& design() = 0;
    /// Starts to record a waveform with 1 ns per cycle. Without a path, stops the recording.
    virtual void record(const std::filesystem::path& fst) = 0;
};

/// Common part of all benches: a Verilated design, its driver, and the counts for each operation.
/// `Driver` is an RtlDriver (core/rtl/rtl_driver.hpp).
template <typename Ports, typename Driver> class DesignBench : public Bench {
public:
    DesignBench(MakeRtlPins<Ports> make, const RtlPinsOptions& options)
        : seed_(options.seed), pins_(make(options)), driver_(*pins_, true)
    {
    }

    Outcome run(std::uint64_t index) final
    {
        const std::uint64_t cycles = driver_.cycles(), comparisons = driver_.comparisons();
        const bool is_idle = operate(index);
        driver_.set_gates({});
        Outcome outcome{driver_.cycles() - cycles, driver_.comparisons() - comparisons,
                        driver_.value(), driver_.cycle()};
        if (!outcome.value && is_idle)
            outcome.value = driver_.outstanding();
        return outcome;
    }
    [[nodiscard]] RtlDesign& design() final { return *pins_; }
    void record(const std::filesystem::path& fst) final
    {
        if (recorder_)
            recorder_->close(*pins_);
        recorder_.reset();
        driver_.record(nullptr);
        if (fst.empty())
            return;
        recorder_.emplace(size(), Clock{ps_per_second / standalone_period_ps},
                          std::vector<std::string>{}, fst, WaveWindow{});
        recorder_->begin_work(driver_.cycles(), 0, {}, {});
        driver_.record(&*recorder_);
    }

protected:
    /// Runs operation `index` through the driver and compares it with the reference. Returns
    /// whether the design must be idle afterwards.
    virtual bool operate(std::uint64_t index) = 0;

    [[nodiscard]] std::uint32_t seed() const { return seed_; }
    [[nodiscard]] const typename Ports::Size& size() const { return pins_->size(); }
    [[nodiscard]] Driver& driver() { return driver_; }

private:
    std::uint32_t seed_;
    std::unique_ptr<RtlPins<Ports>> pins_;
    Driver driver_;
    std::optional<RtlRecorder<Ports>> recorder_;
};

/// Random numbers of one operation.
class Draw {
public:
    Draw(std::uint32_t seed, std::uint64_t operation);
    [[nodiscard]] std::uint32_t word();
    /// 0 to count - 1.
    [[nodiscard]] std::uint32_t below(std::uint32_t count) { return word() % count; }
    [[nodiscard]] bool one_in(std::uint32_t count) { return below(count) == 0; }

private:
    std::uint32_t seed_;
    std::uint32_t stream_;
    std::uint64_t index_ = 0;
};

/// Whether operation `index` is a long run without a reset or a new operand. It finds faults that
/// appear only after several uses of the same state.
[[nodiscard]] constexpr bool is_long_stay(std::uint64_t index)
{
    constexpr std::uint64_t every = 32;
    return index % every == every - 1;
}
/// Draws the length of a long run: hundreds of steps.
[[nodiscard]] std::uint32_t draw_stay(Draw& draw);

/// Random gates, which block channels in some cycles (back-pressure). If bit i of next() is set,
/// channel i may transfer. Each channel has its own probability of being open.
class RandomGates {
public:
    /// `channels`: at most 8.
    RandomGates(std::uint32_t seed, unsigned channels);
    [[nodiscard]] unsigned next();
    [[nodiscard]] unsigned operator()() { return next(); }

private:
    std::uint32_t state_;
    unsigned channels_;
    std::uint32_t threshold_[8] = {}; ///< Probabilities in units of 1/256; 256: always.
    unsigned held_ = 0;               ///< Channel that is blocked for some time.
    unsigned hold_cycles_ = 0;
};

/// A random operation: the driver's work, its description, and its run options.
template <typename Its> struct Drawn {
    using Work = Its;

    Work work{};
    std::string text{};
    bool has_gates = false;
    std::uint32_t gates_seed = 0;
    std::uint64_t most_cycles = UINT64_MAX; ///< The operation is reset after this many cycles.
    std::string other_reset{};              ///< Describes a reset at the end; empty if there is
                                            ///< none.
    bool is_seen_idle = true;               ///< After a reset, true: the design must be idle for
                                            ///< some cycles. False: the next operation follows
                                            ///< immediately.

    void draw_gates(Draw& draw)
    {
        has_gates = !draw.one_in(3);
        gates_seed = draw.word();
    }
    [[nodiscard]] std::string reset() const
    {
        return most_cycles == UINT64_MAX ? other_reset
                                         : ", reset in cycle " + std::to_string(most_cycles);
    }
};

/// A bench that runs each operation by Driver::run(work, options). `draw` is a function of (Draw&,
/// index, size). It returns a Drawn<Work>, or a class derived from it with set(options). Expected
/// values come from expected_results() (rtl_driver.hpp).
template <typename Ports, typename Driver, auto draw>
class WorkBench : public DesignBench<Ports, Driver> {
public:
    using DesignBench<Ports, Driver>::DesignBench;

    [[nodiscard]] std::string describe(std::uint64_t index) const override
    {
        const Operation drawn = draw_operation(index);
        return drawn.text + (drawn.has_gates ? ", with back-pressure" : ", without back-pressure") +
               drawn.reset();
    }

protected:
    using Options = typename Driver::Options;
    using Results = typename Options::Results;
    using Operation =
        decltype(draw(std::declval<Draw&>(), 0, std::declval<const typename Ports::Size&>()));

    [[nodiscard]] Operation draw_operation(std::uint64_t index) const
    {
        Draw numbers(this->seed(), index);
        return draw(numbers, index, this->size());
    }

    [[nodiscard]] virtual Results expected(const Operation& drawn)
    {
        return expected_results(this->size(), drawn.work);
    }

private:
    bool operate(std::uint64_t index) final
    {
        const Operation drawn = draw_operation(index);
        const Results results = expected(drawn);
        if (drawn.has_gates)
            this->driver().set_gates(RandomGates(drawn.gates_seed, Driver::channels));
        Options options;
        options.expected = results;
        options.most_cycles = drawn.most_cycles;
        if constexpr (requires { drawn.set(options); })
            drawn.set(options);
        (void)this->driver().run(drawn.work, options);
        if (drawn.reset().empty())
            return true;
        this->driver().reset();
        return drawn.is_seen_idle;
    }
};

/// A design that `levee cosim NAME` can run.
struct Target {
    std::string name;
    std::string text; ///< Description of the design, for the list of targets.
    std::function<std::unique_ptr<Bench>(std::uint32_t seed)> make;
    /// Creates the bench for another design of the block; `model` points to that design's
    /// RtlModel<Ports>.
    std::function<std::unique_ptr<Bench>(const void* model, std::uint32_t seed)> make_on;
    const RtlSource* source = nullptr; ///< Sources of the design.
    std::vector<RtlPort> ports{};      ///< Ports of the boundary in the design's size.
    RtlSource boundary{};              ///< Sources of the block's own design, in the same size.
    std::string folder;                ///< Folder of the block and its bench, such as "ip/rsa".
    std::string block; ///< Name of the block for `levee cosim BLOCK --rtl`, such as "flash_ecu".
};

/// All targets whose benches are linked into the program, sorted by folder.
[[nodiscard]] std::span<const Target> targets();

/// Registers the bench of a block's designs. CMake (levee_rtl_twins) creates an object of this
/// class for the block.
class BenchRegistration {
public:
    template <typename Ports>
    BenchRegistration(std::span<const RtlChoice<Ports>> (*designs)(), const char* folder)
    {
        list([=](std::vector<Target>& targets) {
            for (const RtlChoice<Ports>& design : designs())
                targets.push_back(target_of(design, *designs().front().source, folder));
        });
    }

private:
    /// Returns "flash_ecu" for "ip/flash/ecu".
    static std::string block_of(const std::string& folder);
    static void list(std::function<void(std::vector<Target>&)> add);

    /// A design with its assertions and cover points.
    template <typename Ports>
    static Target target_of(const RtlChoice<Ports>& design, RtlSource boundary,
                            const std::string& folder)
    {
        boundary.parameters = design.source->parameters;
        return {design.name,
                "behind the pins of " + folder + "/pins.hpp",
                [make = design.make_checked](std::uint32_t seed) {
                    return Ports::make_bench(make, {seed, ""});
                },
                [](const void* model, std::uint32_t seed) {
                    return Ports::make_bench(static_cast<const RtlModel<Ports>*>(model)->make,
                                             {seed, ""});
                },
                design.source,
                ports_of<Ports>(design.size),
                boundary,
                folder,
                block_of(folder)};
    }
};

} // namespace levee::cosim
