// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/flow.hpp"
#include "ip/edram/geometry.hpp"

#include <string>
#include <vector>

namespace levee::edram {

/// The banks of one side as streams share them: each reads or writes one row at a time. A stream
/// takes as long as its busiest bank, so an even one all banks' bandwidth, and streams share them
/// as if they met in their busiest banks.
class Side : public FlowResource {
public:
    /// `access`: of a row of one bank, ps. `name`: the memory's.
    Side(const Geometry& geometry, unsigned number, Picoseconds access, std::string name);

    void price(std::span<const FlowUse* const> mix, std::span<const double> demand,
               std::span<double> ps_per_byte) override;

    /// Adds to shares[pair] the part of each bank pair's time that `running` takes.
    void add_shares(std::span<Activity* const> running, std::span<double> shares);

private:
    /// Time one byte of a pattern takes in each bank pair, and in the busiest, ps.
    struct Cost {
        AccessPattern pattern;
        std::vector<double> of_pair;
        double busiest = 0.0;
    };
    const Cost& cost_of(const AccessPattern& pattern);

    Geometry geometry_;
    unsigned number_;
    Picoseconds access_;
    std::vector<Cost> known_; ///< the latest
    std::size_t next_ = 0;
};

} // namespace levee::edram
