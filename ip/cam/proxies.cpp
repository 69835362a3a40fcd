// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/proxies.hpp"

#include <algorithm>

namespace levee::cam {

void Proxies::accept(const Format& format)
{
    if (format == format_ && !written_.empty())
        return;
    format_ = format;
    written_.assign(rows_for(format), false);
    levels_.clear();
}

bool Proxies::holds(const Format& format, std::uint64_t first, std::uint64_t count) const
{
    if (format != format_ || first + count > written_.size())
        return false;
    const auto begin = written_.begin() + static_cast<std::ptrdiff_t>(first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(count),
                       [](bool written) { return written; });
}

std::span<std::uint8_t> Proxies::proxy(std::uint64_t row)
{
    const std::uint32_t width = cells(format_);
    if (levels_.empty())
        levels_.resize(written_.size() * width);
    return std::span(levels_).subspan(row * width, width);
}

} // namespace levee::cam
