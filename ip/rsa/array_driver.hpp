// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/rtl_driver.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace levee::rsa {

/// Identifies a sum: the product within the operation, and the index in its sums.
struct SumPlace {
    std::uint32_t product = 0;
    std::size_t index = 0;
};

/// Drives an array of either dataflow. The design loads pieces of the stationary operand (output
/// stationary: bytes of B), passes waves through the array, and outputs sums on lanes in its own
/// order. Products are offered as fast as ready signals and back-pressure (gates) permit. The
/// channels are load, in and out.
///
/// `Progress` tracks which data of an operation still have to be offered and received. It has
/// done(); next_load() and next_wave(), which return null if no load or wave is left; take_load()
/// and take_wave(); next_sum(lane), describe_sum(lane) and take_sum(lane); and owes_sums(), where()
/// and place() for messages. Its `Run` has `sums`, by product, and `cycles`.
template <typename Ports, typename Boundary, typename Progress>
class ArrayDriver final : public RtlDriver<Ports, Boundary> {
    using Base = RtlDriver<Ports, Boundary>;

public:
    using typename Base::Inputs;
    using typename Base::Outputs;
    using typename Base::Pins;
    using Work = typename Progress::Work;
    using Options = typename Progress::Options;
    using Run = typename Progress::Run;
    static constexpr unsigned channels = 3;

    ArrayDriver(Pins& pins, bool compare_cycles) : Base(pins, Boundary(pins.size()), compare_cycles)
    {
    }

    /// Runs one operation. Stops at the first wrong value.
    Run run(const Work& work, const Options& options)
    {
        Progress progress(work, this->pins().size());
        options_ = &options;
        offered_ = 0;
        begun_.reset();
        Base::drive(*this, progress, options);
        return std::move(progress.run);
    }
    [[nodiscard]] RtlPlace place() const override
    {
        return progress_ == nullptr ? RtlPlace{} : progress_->place();
    }

private:
    friend Base;

    [[nodiscard]] Inputs inputs(Progress& progress)
    {
        const unsigned gates = this->open_gates((1u << channels) - 1) | offered_;
        Inputs in;
        if ((gates & 1) != 0)
            in.load = progress.next_load();
        if ((gates & 2) != 0)
            in.wave = progress.next_wave();
        in.out_ready = (gates & 4) != 0;
        return in;
    }
    /// Returns true if any channel transfers at the end of this cycle.
    bool observe(Progress& progress, const Inputs& in, const Outputs& out)
    {
        const bool load = in.load != nullptr && out.load_ready;
        const bool wave = in.wave != nullptr && out.in_ready;
        const bool sums = out.lanes != 0 && in.out_ready;
        offered_ =
            (in.load != nullptr && !load ? 1u : 0u) | (in.wave != nullptr && !wave ? 2u : 0u);
        if (in.load != nullptr && !begun_)
            begun_ = this->operation_cycle();
        if (load)
            progress.take_load();
        if (wave)
            progress.take_wave();
        if (sums)
            progress.run.cycles = this->operation_cycle() + 1 - begun_.value_or(0);
        return load || wave || sums;
    }
    /// Compares valid lanes in every cycle, even if they are not taken.
    void compare_values(Progress& progress, const Inputs& in, const Outputs& out)
    {
        for (std::uint32_t lane = 0; lane < this->pins().size().lanes() && !this->value(); ++lane)
            if ((out.lanes >> lane & 1) != 0)
                compare_sum(progress, lane, out.sums[lane], in.out_ready);
    }
    void compare_sum(Progress& progress, std::uint32_t lane, std::int64_t got, bool is_taken)
    {
        const std::string at = "lane " + std::to_string(lane);
        const std::optional<SumPlace> place = progress.next_sum(lane);
        if (!place)
            return this->differ_in_value("out_valid_o", at + ", " + progress.where(), "0", "1");
        auto& sum = progress.run.sums[place->product][place->index];
        sum = static_cast<std::remove_reference_t<decltype(sum)>>(got);
        if (!options_->expected.empty()) {
            this->count_comparison();
            const std::int64_t want = options_->expected[place->product][place->index];
            if (got != want)
                this->differ_in_value("out_sums_o", at + ": " + progress.describe_sum(lane),
                                      std::to_string(want), std::to_string(got));
        }
        if (is_taken)
            progress.take_sum(lane);
    }
    void give_up(const Progress& progress)
    {
        Base::give_up(progress.owes_sums() ? "out_valid_o" : "in_ready_o", progress.where());
    }

    void compare_boundary(const Inputs&, const Outputs& want, const Outputs& got) override
    {
        const auto where = [this] { return progress_ == nullptr ? "" : progress_->where(); };
        const auto compare = [&](std::uint32_t wanted, std::uint32_t is, const char* signal) {
            if (wanted != is)
                this->differ_in_cycle(signal, where(), std::to_string(wanted), std::to_string(is));
        };
        compare(want.load_ready, got.load_ready, "load_ready_o");
        compare(want.in_ready, got.in_ready, "in_ready_o");
        if (want.lanes != got.lanes)
            this->differ_in_cycle("out_valid_o", where(), hex(want.lanes, 8), hex(got.lanes, 8));
    }
    [[nodiscard]] const char* busy_signal(const Outputs& out) const override
    {
        return out.lanes != 0    ? "out_valid_o"
               : out.in_ready    ? "in_ready_o"
               : !out.load_ready ? "load_ready_o"
                                 : nullptr;
    }
    /// Returns the number of steps until the last lane of a wave's sums.
    [[nodiscard]] std::uint64_t pipeline_depth() const override
    {
        const auto& size = this->pins().size();
        return static_cast<std::uint64_t>(first_lane_steps(size)) + size.lanes();
    }
    void expect(const Inputs&, Outputs& out) const override
    {
        if (progress_ == nullptr || options_->known().empty())
            return;
        for (std::uint32_t lane = 0; lane < this->pins().size().lanes(); ++lane)
            if (const auto place = progress_->next_sum(lane); place && (out.lanes >> lane & 1) != 0)
                out.sums[lane] = options_->known()[place->product][place->index];
    }

    // State of the current operation.
    const Progress* progress_ = nullptr;
    const Options* options_ = nullptr;
    unsigned offered_ = 0; ///< Bits of `gates` that stay set until the transfer.
    std::optional<std::uint64_t> begun_;
};

} // namespace levee::rsa
