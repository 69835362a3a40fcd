// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/side.hpp"

#include <algorithm>
#include <cmath>

namespace levee::edram {

namespace {

constexpr std::size_t most_known = 32; // more than the streams running at once

bool same(const AccessPattern& a, const AccessPattern& b)
{
    return a.address == b.address && a.run_bytes == b.run_bytes && a.count == b.count &&
           a.stride == b.stride;
}

} // namespace

Side::Side(const Geometry& geometry, unsigned number, Picoseconds access, std::string name)
    : FlowResource({FlowAccount::Kind::Storage, std::move(name)}), geometry_(geometry),
      number_(number), access_(access)
{
}

const Side::Cost& Side::cost_of(const AccessPattern& pattern)
{
    for (const Cost& cost : known_)
        if (same(cost.pattern, pattern))
            return cost;
    Cost cost{pattern, {}, 0.0};
    const auto bytes = static_cast<double>(bytes_on_side(geometry_, pattern, number_));
    for (const std::uint64_t rows : bank_loads(geometry_, pattern, number_)) {
        cost.of_pair.push_back(static_cast<double>(rows * access_) / bytes);
        cost.busiest = std::max(cost.busiest, cost.of_pair.back());
    }
    if (known_.size() < most_known) {
        known_.push_back(std::move(cost));
        return known_.back();
    }
    next_ = (next_ + 1) % most_known;
    return known_[next_] = std::move(cost);
}

void Side::price(std::span<const FlowUse* const> mix, std::span<const double>,
                 std::span<double> ps_per_byte)
{
    for (std::size_t i = 0; i < mix.size(); ++i)
        ps_per_byte[i] = cost_of(mix[i]->pattern).busiest;
}

void Side::add_shares(std::span<Activity* const> running, std::span<double> shares)
{
    for (const Activity* activity : running)
        for (const FlowUse& use : activity->uses) {
            if (use.resource != this || use.bytes == 0 || !std::isfinite(activity->speed))
                continue;
            const Cost& cost = cost_of(use.pattern);
            const double bytes_per_ps = static_cast<double>(use.bytes) * activity->speed;
            for (std::size_t pair = 0; pair < shares.size(); ++pair)
                shares[pair] = std::min(1.0, shares[pair] + bytes_per_ps * cost.of_pair[pair]);
        }
}

} // namespace levee::edram
