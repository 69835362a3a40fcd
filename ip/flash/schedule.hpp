// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/page_accesses.hpp"
#include "ip/flash/regs.h"
#include "ip/flash/timing/channel_requests.hpp"

#include <deque>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace levee::flash {

/// Receives a step of a request. Times count from the beginning of the operation.
using RequestSink = std::function<void(std::uint32_t channel, const Span&)>;

/// All channels of a flash. An operation's requests are all submitted at its beginning; the
/// operation ends with the last of them.
class Schedule {
public:
    /// `config` and `parts` are indexed by channel; if `parts` is empty, all parts are as
    /// configured. `read_bytes` and `program_bytes` are the bytes of a page on the channel,
    /// including the part of its code that is sent. Throws as Channel does.
    Schedule(const Geometry& geometry, const std::vector<TimingConfig>& config,
             std::uint32_t read_bytes, std::uint32_t program_bytes,
             const std::vector<ChannelParts>& parts = {});

    struct Outcome {
        Time duration = 0;
        /// Counts of this operation; times are summed over the channels. last_compute and last_read
        /// are 0.
        ChannelCounts counts;
    };
    /// Runs a checked operation on its pages. A die whose pages are lost gets no requests. A die
    /// that also holds another die's pages receives the input a second time for these pages.
    Outcome run(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages);

    void observe(RequestSink sink) { sink_ = std::move(sink); }
    /// Returns a channel's counts over all operations so far.
    [[nodiscard]] const ChannelCounts& counts(std::uint32_t channel) const
    {
        return lanes_[channel].counts;
    }

private:
    using Outcomes = std::unordered_map<ChannelRequests, Outcome, ChannelRequests::Hash>;
    struct Lane {
        Channel channel;
        ChannelRequests requests{}; ///< Requests of the current operation.
        ChannelCounts counts{};
        std::size_t first = 0; ///< The first channel with the same configuration.
        Outcomes known{};      ///< Outcomes of the channels whose `first` is this one.
    };

    void submit_tiles(const levee_flash_operation& op, const PageAccesses& pages);
    void submit_tile(const levee_flash_operation& op, const PageAccesses::Tile& tile,
                     std::uint32_t across);
    void submit(RequestKind kind, const PageAccess& page);
    void submit_data(RequestKind kind, const PageAccesses& pages);
    [[nodiscard]] Outcome run(std::uint32_t number);
    [[nodiscard]] Outcome simulate(std::uint32_t number);

    Geometry geometry_;
    std::uint32_t read_bytes_, program_bytes_;
    std::vector<TimingConfig> config_;
    bool as_configured_; ///< Whether all parts are the configured ones.
    std::deque<Lane> lanes_;
    std::vector<Request> sharing_; ///< Requests of a tile that share an input.
    std::vector<std::pair<std::uint32_t, Request>> alone_; ///< Requests with their own input.
    RequestSink sink_;
};

} // namespace levee::flash
