// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Time that a part of a component spends on an operation of its queue.
struct InnerSpan {
    std::uint32_t track; ///< index in InnerSpans::tracks
    const char* name;    ///< a literal
    Picoseconds from, to;
    std::vector<std::pair<std::string, std::string>> details; ///< names and values
    /// The requests, or other chains of steps, that it belongs to: numbers unique in the component
    /// and below 2^40. Timelines lead an arrow through all spans of one number.
    std::vector<std::uint64_t> chains;
};
using InnerSpanSink = std::function<void(const InnerSpan&)>;

/// The inside of a component for timelines, beyond its queue's operations.
struct InnerSpans {
    std::vector<std::string> tracks;
    /// From then on the sink gets all spans of an operation when it begins, in order of their
    /// start. Spans of one track do not overlap, unless they have the same times. The sink cuts
    /// spans that a reset or the end of the run interrupts.
    std::function<void(InnerSpanSink)> observe;
};

} // namespace levee
