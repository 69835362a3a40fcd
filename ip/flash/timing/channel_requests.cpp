// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/timing/channel_requests.hpp"

namespace levee::flash {

void ChannelRequests::clear()
{
    submissions_.clear();
    requests_.clear();
}

void ChannelRequests::add(const Request& request)
{
    submissions_.push_back({1, 0});
    requests_.push_back(request);
}

void ChannelRequests::add_tile(std::span<const Request> requests, std::uint32_t input_bytes)
{
    submissions_.push_back({static_cast<std::uint32_t>(requests.size()), input_bytes});
    requests_.insert(requests_.end(), requests.begin(), requests.end());
}

void ChannelRequests::make_pages_relative(PlaneCommands planes)
{
    const bool matter = planes == PlaneCommands::Paired;
    const std::uint32_t first = requests_.empty() ? 0 : requests_.front().page;
    for (Request& request : requests_)
        request.page = matter ? request.page - first : 0;
}

void ChannelRequests::submit_to(Channel& channel) const
{
    std::span<const Request> left = requests_;
    for (const Submission& next : submissions_) {
        if (left.front().kind == RequestKind::ReadCompute)
            channel.submit_tile(left.first(next.count), next.input_bytes, 0);
        else
            channel.submit(left.front(), 0);
        left = left.subspan(next.count);
    }
}

std::size_t ChannelRequests::Hash::operator()(const ChannelRequests& requests) const
{
    std::uint64_t hash = 0;
    const auto add = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL + (hash >> 32); // An odd number: 2^64 / golden
                                                                     // ratio.
    };
    for (const Submission& one : requests.submissions_)
        add(std::uint64_t{one.input_bytes} << 32 | one.count);
    for (const Request& one : requests.requests_) {
        add(std::uint64_t{one.die} << 32 | one.plane << 8 | static_cast<std::uint64_t>(one.kind));
        add(std::uint64_t{one.bytes} << 32 | one.macs);
        add(one.page);
    }
    return hash;
}

} // namespace levee::flash
