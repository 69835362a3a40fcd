// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/memory/row_list.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee {

/// Memories that a block has used: which of its accesses each memory tracks, and where its bytes
/// can be accessed without the bus.
class KnownRegions {
public:
    using Region = BulkExtension::Region;
    /// Host bytes of the memory that contains all of a pattern, and the pattern relative to them.
    struct Direct {
        std::uint8_t* data;
        AccessPattern pattern;
    };

    explicit KnownRegions(BulkPort& port) : port_(port) {}

    [[nodiscard]] const Region& at(std::uint64_t address);
    /// Returns the region if the block has asked for it before, otherwise null.
    [[nodiscard]] const Region* known(std::uint64_t address) const;
    [[nodiscard]] static bool holds(const Region& region, const AccessPattern& pattern);
    /// Whether the memory tracks accesses of this kind.
    [[nodiscard]] static bool notices(const Region& region, Direction direction);
    /// The memory that contains the whole pattern, if its bytes can be reached.
    [[nodiscard]] const Region* reachable(Direction direction, const AccessPattern& pattern);
    [[nodiscard]] std::optional<Direct> direct(Direction direction, const AccessPattern& pattern);

private:
    BulkPort& port_;
    std::vector<Region> regions_;
};

} // namespace levee
