// SPDX-License-Identifier: Apache-2.0
// Costs of mixes that processes hand to each other: what one has scheduled the next ones look up.
#pragma once

#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace levee::dram {

/// Costs by memory and mix. A cost follows from the parameters, the effort and the mix alone, so a
/// stored cost equals, bit by bit, the cost that a schedule would give.
class KnownCosts {
public:
    using Key = std::vector<std::uint64_t>;
    using OfMemory = std::map<Key, MixCost>; ///< by effort and mix

    /// Known costs of memories with these parameters; the reference stays valid.
    [[nodiscard]] const OfMemory& of(const Parameters& parameters);
    /// Adds a cost that has been scheduled here.
    void add(const Parameters& parameters, const Key& key, const MixCost& cost);

    /// Costs that were scheduled here, for take() in another process of this program.
    [[nodiscard]] std::string added() const;
    /// Adds the result of added(). An incomplete record at the end of `bytes` is ignored.
    void take(std::string_view bytes);

private:
    std::map<Key, OfMemory> all_;    ///< by the words of the parameters
    std::vector<std::uint64_t> new_; ///< for added()
};

/// This process's, for every DramTiming made from the first call of share_costs() on; null before.
[[nodiscard]] KnownCosts* known_costs();
KnownCosts& share_costs();

} // namespace levee::dram
