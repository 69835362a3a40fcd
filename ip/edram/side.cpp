// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/side.hpp"

#include <algorithm>

namespace levee::edram {

namespace {

constexpr std::size_t most_known = 32; // More than the number of concurrent streams.

bool same(const AccessPattern& a, const AccessPattern& b)
{
    return a.address == b.address && a.run_bytes == b.run_bytes && a.count == b.count &&
           a.stride == b.stride;
}

} // namespace

Side::Side(const Geometry& geometry, unsigned number, Picoseconds access, const Refresh& refresh,
           std::string name)
    : FlowResource({FlowAccount::Kind::Storage, std::move(name)}), geometry_(geometry),
      number_(number), access_(access), refresh_(&refresh)
{
}

const Side::Cost& Side::cost_of(const AccessPattern& pattern)
{
    for (const Cost& cost : known_)
        if (same(cost.pattern, pattern))
            return cost;
    Cost cost{pattern, {}, 0.0};
    const auto bytes = static_cast<double>(bytes_on_side(geometry_, pattern, number_));
    for (const std::uint64_t units : bank_loads(geometry_, pattern, number_)) {
        cost.of_pair.push_back(static_cast<double>(units * access_) / bytes);
        cost.busiest = std::max(cost.busiest, cost.of_pair.back());
    }
    if (known_.size() < most_known) {
        known_.push_back(std::move(cost));
        return known_.back();
    }
    next_ = (next_ + 1) % most_known;
    return known_[next_] = std::move(cost);
}

/// Returns the time per byte. Each bank serves accesses in the time that its refreshes leave.
double Side::price_of(const Cost& cost) const
{
    const std::size_t first = std::size_t{number_} * cost.of_pair.size();
    double longest = 0.0;
    for (std::size_t pair = 0; pair < cost.of_pair.size(); ++pair)
        longest = std::max(longest, cost.of_pair[pair] / (1.0 - refresh_->load(first + pair)));
    return longest;
}

void Side::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                 std::span<double> ps_per_byte)
{
    for (std::size_t i = 0; i < mix.size(); ++i)
        ps_per_byte[i] = price_of(cost_of(mix[i]->pattern));
}

double Side::refresh_share(const FlowUse& use)
{
    const Cost& cost = cost_of(use.pattern);
    return 1.0 - cost.busiest / price_of(cost);
}

} // namespace levee::edram
