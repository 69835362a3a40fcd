// SPDX-License-Identifier: Apache-2.0
#include "core/command/known_regions.hpp"

#include <algorithm>

namespace levee {

const KnownRegions::Region& KnownRegions::at(std::uint64_t address)
{
    if (const Region* const region = known(address))
        return *region;
    return regions_.emplace_back(port_.region(address));
}

const KnownRegions::Region* KnownRegions::known(std::uint64_t address) const
{
    const auto contains = [address](const Region& region) {
        return address >= region.first && address <= region.last;
    };
    if (latest_ < regions_.size() && contains(regions_[latest_]))
        return &regions_[latest_];
    const auto at = std::ranges::find_if(regions_, contains);
    if (at == regions_.end())
        return nullptr;
    latest_ = static_cast<std::size_t>(at - regions_.begin());
    return &*at;
}

bool KnownRegions::holds(const Region& region, const AccessPattern& pattern)
{
    const auto extent = pattern.extent();
    return extent && extent->first >= region.first && extent->last <= region.last;
}

bool KnownRegions::notices(const Region& region, Direction direction)
{
    return region.tracked && (direction == Direction::Write || !region.ignores_reads);
}

const KnownRegions::Region* KnownRegions::reachable(Direction direction,
                                                    const AccessPattern& pattern)
{
    const Region& region = at(pattern.address);
    const bool permits = direction == Direction::Read || !region.read_only;
    return region.data != nullptr && permits && holds(region, pattern) ? &region : nullptr;
}

std::optional<KnownRegions::Direct> KnownRegions::direct(Direction direction,
                                                         const AccessPattern& pattern)
{
    const Region* const region = reachable(direction, pattern);
    if (region == nullptr)
        return std::nullopt;
    Direct direct{region->data, pattern.merged()};
    direct.pattern.address -= region->first;
    return direct;
}

} // namespace levee
