// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/memory/row_list.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace levee {

/// Memories that a block has used. For each memory, the class knows which accesses it tracks, and
/// where its bytes are accessible without the bus.
class KnownRegions {
public:
    using Region = BulkExtension::Region;
    /// Host bytes of a memory that contains a whole pattern, and the pattern relative to them.
    struct Direct {
        std::uint8_t* data;
        AccessPattern pattern;
    };

    explicit KnownRegions(BulkPort& port) : port_(port) {}

    [[nodiscard]] const Region& at(std::uint64_t address);
    /// Returns the region if it is known already, otherwise null.
    [[nodiscard]] const Region* known(std::uint64_t address) const;
    [[nodiscard]] static bool holds(const Region& region, const AccessPattern& pattern);
    /// Whether the memory tracks accesses in this direction.
    [[nodiscard]] static bool notices(const Region& region, Direction direction);
    /// Returns the memory that contains the whole pattern, if its bytes are accessible without the
    /// bus; otherwise null.
    [[nodiscard]] const Region* reachable(Direction direction, const AccessPattern& pattern);
    [[nodiscard]] std::optional<Direct> direct(Direction direction, const AccessPattern& pattern);

private:
    BulkPort& port_;
    std::vector<Region> regions_;
    mutable std::size_t latest_ = 0; ///< Index of the region found last.
};

} // namespace levee
