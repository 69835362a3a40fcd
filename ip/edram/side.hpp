// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"
#include "ip/edram/geometry.hpp"

#include <string>
#include <vector>

namespace levee::edram {

/// The banks of one side as streams share them: each bank reads or writes one row at a time. The
/// bandwidth of a stream is limited by its busiest bank, so that an evenly spread one gets the
/// bandwidth of all banks. Streams share a side as if their busiest banks were the same.
class Side : public FlowResource {
public:
    /// `access`: of a row of one bank, ps. `name`: the memory's.
    Side(const Geometry& geometry, unsigned number, Picoseconds access, std::string name);

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;

    /// Adds the share of each bank pair's time that `running` takes to shares[pair].
    void add_shares(std::span<Activity* const> running, std::span<double> shares);

private:
    /// Time per byte of a pattern in each bank pair, and in the busiest, ps.
    struct Cost {
        AccessPattern pattern;
        std::vector<double> of_pair;
        double busiest = 0.0;
    };
    const Cost& cost_of(const AccessPattern& pattern);

    Geometry geometry_;
    unsigned number_;
    Picoseconds access_;
    std::vector<Cost> known_; ///< cache of the latest patterns
    std::size_t next_ = 0;
};

} // namespace levee::edram
