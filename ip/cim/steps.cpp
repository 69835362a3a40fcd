// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/timing.hpp"

#include <algorithm>
#include <numeric>

namespace levee::cim {

/// Returns the steps without overlap: each layer runs its stages one after another, each stage for
/// all tokens.
std::vector<Step> Timing::steps_in_turn(const Work& work, std::uint32_t layers, double cycles) const
{
    std::array<double, stages> share{};
    if (reading_.sample() != 0) {
        const auto of = stage_cycles();
        std::copy(of.begin(), of.end(), share.begin());
    } else {
        for (std::uint64_t token = 0; token < work.tokens; ++token) {
            const auto of = stages_of(work, token);
            for (std::size_t stage = 0; stage < stages; ++stage)
                share[stage] += static_cast<double>(of[stage]);
        }
    }
    const double unit = cycles / layers / std::accumulate(share.begin(), share.end(), 0.0);
    std::vector<Step> steps;
    double now = 0;
    for (std::uint32_t layer = 0; layer < layers; ++layer)
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const double end = now + share[stage] * unit;
            if (share[stage] != 0)
                steps.push_back({layer, stage, 0, work.tokens, now, end});
            now = end;
        }
    return steps;
}

std::vector<Step> Timing::steps_of(const Work& work, Pipeline pipeline, std::uint32_t layers) const
{
    if (!flows(work, pipeline))
        return steps_in_turn(work, layers, cycles_of(work, pipeline, layers));
    const bool own = reading_.own_beats && reading_.sample() == 0;
    const auto beat = own ? 0.0 : static_cast<double>(slowest_of(work));
    const double input = own ? 1 : 0; // All tokens of a pass together take one input cycle.
    std::vector<double> done(std::size_t{layers} * stages, 0);
    std::vector<Step> steps;
    for (std::uint64_t token = 0; token < work.tokens; ++token) {
        std::array<std::uint64_t, stages> of{};
        if (own)
            of = stages_of(work, token);
        double before = 0;
        for (std::size_t i = 0; i < done.size(); ++i) {
            // Without inter-core parallelism a layer starts when the previous one has processed all
            // tokens.
            const bool waits = pipeline == Pipeline::IntraCore && i % stages == 0;
            const double start = std::max(waits ? 0 : before, done[i]);
            const double takes = own ? static_cast<double>(of[i % stages]) : beat;
            before = done[i] = start + takes;
            if (takes != 0)
                steps.push_back({static_cast<std::uint32_t>(i / stages), i % stages, token, 1,
                                 input + start, input + start + takes});
        }
    }
    if (pipeline == Pipeline::IntraCore) { // Layers run one after another.
        const double one = cycles_of(work, pipeline, 1);
        for (Step& step : steps) {
            step.from += one * step.layer;
            step.to += one * step.layer;
        }
    }
    return steps;
}

} // namespace levee::cim
