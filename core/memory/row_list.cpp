// SPDX-License-Identifier: Apache-2.0
#include "core/memory/row_list.hpp"

#include <algorithm>

namespace levee {

AccessPattern RowList::row(std::size_t index) const
{
    AccessPattern pattern;
    pattern.address = addresses[index];
    pattern.run_bytes = row_bytes;
    return pattern;
}

RowSpread RowList::spread() const
{
    if (empty())
        return {0, row_bytes};
    const auto [least, greatest] = std::minmax_element(addresses.begin(), addresses.end());
    return {addresses.size(), row_bytes, *least, *greatest};
}

RowSpread RowSpread::over(const AccessPattern& loops, std::uint64_t rows)
{
    const auto extent = loops.extent();
    if (!extent)
        return {rows, loops.run_bytes, 0, UINT64_MAX};
    return {rows, loops.run_bytes, extent->first, extent->last + 1 - loops.run_bytes};
}

AccessPattern RowSpread::stream() const
{
    const std::uint64_t gaps = rows - 1;
    AccessPattern pattern;
    pattern.address = least;
    pattern.run_bytes = row_bytes;
    pattern.count[2] = rows;
    pattern.stride[2] = gaps > 0 ? static_cast<std::int64_t>((greatest - least) / gaps) : 0;
    pattern.scattered = true;
    return pattern;
}

AccessPattern RowSpread::ends() const
{
    AccessPattern pattern;
    pattern.address = least;
    pattern.run_bytes = row_bytes;
    pattern.count[2] = 2;
    pattern.stride[2] = static_cast<std::int64_t>(greatest - least);
    return pattern;
}

} // namespace levee
