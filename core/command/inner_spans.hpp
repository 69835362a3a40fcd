// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Time that a part of a component spends on an operation.
struct InnerSpan {
    std::uint32_t track; ///< Index in InnerSpans::tracks.
    const char* name;    ///< A string literal.
    Picoseconds from, to;
    std::vector<std::pair<std::string, std::string>> details; ///< Names and values.
    /// Numbers of the requests, or other chains of steps, that the span belongs to. They are unique
    /// in the component and below 2^40. Timelines connect all spans of a number by arrows.
    std::vector<std::uint64_t> chains;
};
using InnerSpanSink = std::function<void(const InnerSpan&)>;

/// Activity inside a component, for timelines.
struct InnerSpans {
    std::vector<std::string> tracks;
    /// Registers a sink. When an operation begins, the sink receives all of its spans, ordered by
    /// start. Spans on a track do not overlap, unless they have equal times. The sink itself
    /// shortens spans that a reset or the end of the run interrupts.
    std::function<void(InnerSpanSink)> observe;
};

} // namespace levee
