// SPDX-License-Identifier: Apache-2.0
// The time of a layer on a core: closed forms, free of SystemC. docs/pim.md has them
// worked by hand.
#pragma once

#include "ip/cim/units.hpp"

#include <vector>

namespace levee::cim {

/// Stages of the pipeline within a core.
inline constexpr std::size_t stages = 7;

/// The part of a pass in one stage of a layer's core, in cycles from the pass's beginning.
struct Step {
    std::uint32_t layer = 0; ///< layer of the pass
    std::size_t stage = 0;
    std::uint64_t token = 0, tokens = 1; ///< the first of the pass, and how many
    double from = 0, to = 0;
};

class Timing {
public:
    /// `compression` null: keys and values are neither pruned nor quantised.
    Timing(const Units& units, const Shape& shape, const Compression* compression,
           const Reading& reading);

    /// Cycles of one operation of each kind.
    [[nodiscard]] ByKind<std::uint64_t> cycles() const;
    /// Operations of each kind for these tokens.
    [[nodiscard]] ByKind<std::uint64_t> operations(const Work& work) const;

    /// Cycles of the sample, once through one layer: strict order, an operation a cycle.
    [[nodiscard]] std::uint64_t sample_cycles() const;
    /// Cycles of the sample that each kind's units are busy, until the log ends.
    [[nodiscard]] ByKind<std::uint64_t> sample_busy() const;
    /// Cycles of the sample during which the accumulators of each kind of product are busy.
    [[nodiscard]] ByKind<std::uint64_t> sample_accumulators() const;
    /// Sample: cycles of a token in a layer, rounded up, and the share of each stage in them.
    [[nodiscard]] std::uint64_t token_cycles() const;
    [[nodiscard]] std::array<std::uint64_t, stages> stage_cycles() const;

    /// Cycles of these tokens through `layers` layers on as many cores. It is a fraction if each
    /// token takes the sample's cycles divided by the sample's tokens.
    [[nodiscard]] double cycles_of(const Work& work, Pipeline pipeline, std::uint32_t layers) const;
    /// The same stage by stage, in the order of layers and stages. The last step ends after these
    /// cycles. Steps that take no time are left out.
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

/// `amount` rounded up, as far as a product of decimal fractions is exact.
[[nodiscard]] std::uint64_t ceil_of(double amount);

} // namespace levee::cim
