// SPDX-License-Identifier: Apache-2.0
// Time of a layer on a core, in closed form and free of SystemC. docs/pim.md computes examples by
// hand.
#pragma once

#include "ip/cim/units.hpp"

#include <vector>

namespace levee::cim {

/// Stages of the pipeline within a core.
inline constexpr std::size_t stages = 7;

/// One stage of one layer's core during a pass. Cycles count from the beginning of the pass.
struct Step {
    std::uint32_t layer = 0; ///< Layer within the pass.
    std::size_t stage = 0;
    std::uint64_t token = 0, tokens = 1; ///< First token of the step within the pass, and number of
                                         ///< tokens.
    double from = 0, to = 0;
};

class Timing {
public:
    /// `compression` null: keys and values are neither pruned nor quantised.
    Timing(const Units& units, const Shape& shape, const Compression* compression,
           const Reading& reading);

    /// Cycles of one operation of each kind.
    [[nodiscard]] ByKind<std::uint64_t> cycles() const;
    /// Number of operations of each kind for these tokens.
    [[nodiscard]] ByKind<std::uint64_t> operations(const Work& work) const;

    /// Cycles of the sample for one layer. Operations are issued in order, one per cycle.
    [[nodiscard]] std::uint64_t sample_cycles() const;
    /// Cycles of the sample in which each kind's units are busy, in whole log blocks (Reading).
    [[nodiscard]] ByKind<std::uint64_t> sample_busy() const;
    /// Cycles of the sample in which the accumulators of each kind of product are busy.
    [[nodiscard]] ByKind<std::uint64_t> sample_accumulators() const;
    /// Cycles of a token in a layer, according to the sample, rounded up. stage_cycles() divides
    /// them among the stages.
    [[nodiscard]] std::uint64_t token_cycles() const;
    [[nodiscard]] std::array<std::uint64_t, stages> stage_cycles() const;

    /// Cycles of these tokens through `layers` layers on as many cores. With a sample, each token
    /// takes the sample's average, so the result need not be an integer.
    [[nodiscard]] double cycles_of(const Work& work, Pipeline pipeline, std::uint32_t layers) const;
    /// The steps of the pass, ordered by layer and stage. The last step ends after cycles_of()
    /// cycles. Stages that take no time are left out.
    [[nodiscard]] std::vector<Step> steps_of(const Work& work, Pipeline pipeline,
                                             std::uint32_t layers) const;

private:
    [[nodiscard]] std::uint64_t rows_of(double share_gone, const Unit& unit) const;
    [[nodiscard]] double sequential(const Work& work) const;
    [[nodiscard]] std::array<std::uint64_t, stages> stages_of(const Work& work,
                                                              std::uint64_t token) const;
    [[nodiscard]] bool flows(const Work& work, Pipeline pipeline) const
    {
        return pipeline != Pipeline::None && (work.tokens > 1 || work.before == 0);
    }
    [[nodiscard]] std::vector<Step> steps_in_turn(const Work& work, std::uint32_t layers,
                                                  double cycles) const;
    [[nodiscard]] std::uint64_t flow_through(const Work& work, std::uint32_t layers) const;
    [[nodiscard]] std::uint64_t slowest_of(const Work& work) const;

    Units units_;
    Shape shape_;
    Compression compression_;
    bool compressed_;
    Reading reading_;
};

/// `amount` rounded up, after removal of the floating-point error of decimal fractions.
[[nodiscard]] std::uint64_t ceil_of(double amount);

} // namespace levee::cim
