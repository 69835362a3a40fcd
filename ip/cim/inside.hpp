// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/inner_spans.hpp"
#include "core/units/clock.hpp"
#include "ip/cim/timing.hpp"

namespace levee::cim {

/// Shows the cores' stages in timelines, with one track for each stage.
class StageView {
public:
    explicit StageView(std::uint32_t cores) : cores_(cores) {}

    [[nodiscard]] std::vector<std::string> tracks() const;
    /// Collects the steps of one sequence's pass. The pass starts `begin` cycles after the
    /// operation starts, on the cores from `core` on.
    void add(const std::vector<Step>& steps, std::uint32_t core, double begin);
    /// Reports the steps of an operation that begins at `start` to the sink, and clears them.
    void tell(Picoseconds start, const Clock& clock, const InnerSpanSink& sink);

private:
    std::uint32_t cores_;
    std::vector<Step> steps_; ///< Step::layer is the number of the core.
};

} // namespace levee::cim
