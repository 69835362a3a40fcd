// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/channel.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace levee::flash {

/// The requests of an operation to one channel, in order. Equal requests take equal times, because
/// the channel is idle before.
class ChannelRequests {
public:
    [[nodiscard]] bool empty() const { return submissions_.empty(); }
    void clear();
    void add(const Request& request);
    /// Adds read-computes that share an input vector.
    void add_tile(std::span<const Request> requests, std::uint32_t input_bytes);
    /// Makes page numbers relative to the first request's page, or 0 if planes are independent.
    /// Times do not change.
    void make_pages_relative(PlaneCommands planes);

    void submit_to(Channel& channel) const;

    bool operator==(const ChannelRequests&) const = default;
    struct Hash {
        std::size_t operator()(const ChannelRequests& requests) const;
    };

private:
    struct Submission {
        std::uint32_t count;       ///< Number of requests.
        std::uint32_t input_bytes; ///< Size of a read-compute's input; otherwise 0.
        bool operator==(const Submission&) const = default;
    };
    std::vector<Submission> submissions_;
    std::vector<Request> requests_;
};

} // namespace levee::flash
