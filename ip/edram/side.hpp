// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow.hpp"
#include "ip/edram/geometry.hpp"
#include "ip/edram/refresh.hpp"

#include <string>
#include <vector>

namespace levee::edram {

/// The banks of one side, shared by streams. Each bank reads or writes one unit at a time, in the
/// time that refresh leaves. A stream's bandwidth is limited by the bank that takes longest for its
/// part. A stream that is spread evenly over the banks therefore gets their total bandwidth.
/// Concurrent streams share a side as if the same bank were the slowest for all of them.
class Side : public FlowResource {
public:
    /// `access` is the time to access a unit, in ps. `refresh` must outlive this object. `name` is
    /// the memory's name.
    Side(const Geometry& geometry, unsigned number, Picoseconds access, const Refresh& refresh,
         std::string name);

    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override;
    [[nodiscard]] std::uint64_t price_state() const override { return refresh_->load_state(); }
    [[nodiscard]] double refresh_share(const FlowUse& use) override;

private:
    /// Time per byte of a pattern in each bank pair, and in the slowest pair, in ps, without
    /// refresh.
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
    std::vector<Cost> known_; ///< Costs of the patterns seen last.
    std::size_t next_ = 0;
};

} // namespace levee::edram
