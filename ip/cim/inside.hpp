// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/inner_spans.hpp"
#include "core/units/clock.hpp"
#include "ip/cim/timing.hpp"

namespace levee::cim {

/// The cores' stages in timelines, one track for each.
class StageView {
public:
    explicit StageView(std::uint32_t cores) : cores_(cores) {}

    [[nodiscard]] std::vector<std::string> tracks() const;
    /// Collects the steps of a sequence's pass that begins this many cycles into the operation, on
    /// the cores from `core` on.
    void add(const std::vector<Step>& steps, std::uint32_t core, double begin);
    /// Reports the steps of the operation, which begins at `start`, and clears them.
    void tell(Picoseconds start, const Clock& clock, const InnerSpanSink& sink);

private:
    std::uint32_t cores_;
    std::vector<Step> steps_; ///< layers count from core 0
};

} // namespace levee::cim
