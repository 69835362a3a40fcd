#include "ip/common/row_list.hpp"

#include <algorithm>

namespace levee {

AccessPattern RowList::row(std::size_t index) const
{
    AccessPattern pattern;
    pattern.address = addresses[index];
    pattern.run_bytes = row_bytes;
    return pattern;
}

AccessPattern RowList::stream() const
{
    const auto [least, greatest] = std::minmax_element(addresses.begin(), addresses.end());
    const std::uint64_t gaps = addresses.size() - 1;
    AccessPattern pattern;
    pattern.address = *least;
    pattern.run_bytes = row_bytes;
    pattern.count[2] = addresses.size();
    pattern.stride[2] = gaps > 0 ? static_cast<std::int64_t>((*greatest - *least) / gaps) : 0;
    pattern.scattered = true;
    return pattern;
}

} // namespace levee
