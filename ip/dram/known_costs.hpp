// SPDX-License-Identifier: Apache-2.0 Costs of mixes, shared between processes:
// a process need not schedule a mix again that an earlier process has
// scheduled.
#pragma once

#include "ip/dram/mix_schedule.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace levee::dram {

/// Costs by memory and mix. A cost depends only on the parameters, the effort and the mix, so a
/// stored cost equals a newly scheduled one bit by bit.
class KnownCosts {
public:
    using Key = std::vector<std::uint64_t>;
    using OfMemory = std::map<Key, MixCost>; ///< by effort and mix

    /// Known costs of memories with these parameters; the reference stays valid.
    [[nodiscard]] const OfMemory& of(const Parameters& parameters);
    /// Adds a cost that this process has scheduled.
    void add(const Parameters& parameters, const Key& key, const MixCost& cost);

    /// Costs that this process has scheduled, for take() in another process of this program.
    [[nodiscard]] std::string added() const;
    /// Adds the result of added(). An incomplete record at the end of `bytes` is ignored.
    void take(std::string_view bytes);

private:
    std::map<Key, OfMemory> all_;    ///< costs by the parameters, as a list of words
    std::vector<std::uint64_t> new_; ///< costs that added() returns
};

/// The costs of this process, for every DramTiming made after the first call of share_costs(); null
/// before it.
[[nodiscard]] KnownCosts* known_costs();
KnownCosts& share_costs();

} // namespace levee::dram
