// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/page_accesses.hpp"
#include "ip/flash/regs.h"
#include "ip/flash/timing/channel.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace levee::flash {

/// A step of a request of a channel, in time since the beginning of its operation.
using RequestSink = std::function<void(std::uint32_t channel, const Span&)>;

/// All channels of a flash: the requests of an operation, all submitted at its beginning, until the
/// last one ends.
class Schedule {
public:
    /// `config` by channel; throws like Channel. `read_bytes` and `program_bytes`: bytes of a page
    /// on the channel, including the transferred part of its code. `parts` by channel; empty: as
    /// configured.
    Schedule(const Geometry& geometry, const std::vector<TimingConfig>& config,
             std::uint32_t read_bytes, std::uint32_t program_bytes,
             const std::vector<ChannelParts>& parts = {});

    struct Outcome {
        Time duration = 0;
        ChannelCounts counts; ///< Counts of this operation; times of its channels are added up.
    };
    /// Runs a checked operation with its pages. Dies whose pages are lost get no requests; a die
    /// with another one's pages gets the input once more for them.
    Outcome run(std::uint8_t opcode, const levee_flash_operation& op, const PageAccesses& pages);

    void observe(RequestSink sink) { sink_ = std::move(sink); }
    /// Counts of all operations until now, by channel.
    [[nodiscard]] const ChannelCounts& counts(std::uint32_t channel) const
    {
        return channels_[channel].counts();
    }

private:
    void submit_tiles(const levee_flash_operation& op, const PageAccesses& pages);
    void submit_tile(const levee_flash_operation& op, const PageAccesses& pages, std::uint64_t tile,
                     std::uint32_t across);
    void submit(RequestKind kind, const PageAccess& page);
    void submit_data(RequestKind kind, const PageAccesses& pages);

    Geometry geometry_;
    std::uint32_t read_bytes_, program_bytes_;
    std::deque<Channel> channels_;
    RequestSink sink_;
};

} // namespace levee::flash
