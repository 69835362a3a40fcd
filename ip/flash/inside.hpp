// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/inner_spans.hpp"
#include "ip/flash/schedule.hpp"

namespace levee::flash {

/// Shows requests in timelines. Each channel has a track for its bus. Each die has a track for each
/// plane's array, for its cache register and for its core.
class RequestView {
public:
    explicit RequestView(const Geometry& geometry) : geometry_(geometry) {}

    [[nodiscard]] std::vector<std::string> tracks() const;
    /// Adds a step of a request of the current operation.
    void add(std::uint32_t channel, const Span& step) { steps_.push_back({channel, step}); }
    /// Reports the steps of an operation that begins at `start` to the sink, and clears them.
    void tell(Picoseconds start, const InnerSpanSink& sink);

private:
    struct ChannelStep {
        std::uint32_t channel;
        Span span;
    };
    [[nodiscard]] std::uint32_t track_of(const ChannelStep& step) const;
    [[nodiscard]] InnerSpan inner(const ChannelStep& step, Picoseconds start) const;

    Geometry geometry_;
    std::vector<ChannelStep> steps_;
    std::uint64_t chains_ = 0; ///< Chain numbers used by earlier operations: one for each request
                               ///< and channel.
};

} // namespace levee::flash
