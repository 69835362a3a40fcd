// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/edram/geometry.hpp"
#include "ip/edram/refresh.hpp"

#include <string>
#include <vector>

namespace levee::edram {

/// The banks of one side as a resource of streams: each bank reads or writes one unit at a time, in
/// the time that refresh leaves. The bank that takes longest for its part limits a stream's
/// bandwidth, so an evenly spread stream gets the bandwidth of all banks. Streams share a side as
/// if that bank were the same for all.
class Side : public FlowResource {
public:
    /// `access`: time to access a unit, in ps. `refresh` must outlive this object. `name`: the
    /// memory's.
    Side(const Geometry& geometry, unsigned number, Picoseconds access, const Refresh& refresh,
         std::string name);

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;
    [[nodiscard]] std::uint64_t price_state() const override { return refresh_->load_state(); }
    [[nodiscard]] double refresh_share(const FlowUse& use) override;

private:
    /// Time per byte of a pattern in each bank pair, and in the busiest, ps, without refresh.
    struct Cost {
        AccessPattern pattern;
        std::vector<double> of_pair;
        double busiest = 0.0;
    };
    const Cost& cost_of(const AccessPattern& pattern);
    [[nodiscard]] double price_of(const Cost& cost) const;

    Geometry geometry_;
    unsigned number_;
    Picoseconds access_;
    const Refresh* refresh_;
    std::vector<Cost> known_; ///< cache of the latest patterns
    std::size_t next_ = 0;
};

} // namespace levee::edram
