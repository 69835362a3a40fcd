// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/proxies.hpp"

namespace levee::cam {

void Proxies::accept(const Format& format)
{
    if (format == format_)
        return;
    format_ = format;
    chunks_.clear();
}

bool Proxies::holds(const Format& format, std::uint64_t first, std::uint64_t count) const
{
    if (format != format_ || first + count > rows_for(format))
        return false;
    for (std::uint64_t row = first; row < first + count; ++row) {
        const auto found = chunks_.find(row / chunk_rows);
        if (found == chunks_.end() || !found->second.written[row % chunk_rows])
            return false;
    }
    return true;
}

std::span<std::uint8_t> Proxies::proxy(std::uint64_t row)
{
    const std::uint32_t width = cells(format_);
    std::vector<std::uint8_t>& levels = chunks_[row / chunk_rows].levels;
    levels.resize(chunk_rows * width);
    return std::span(levels).subspan(row % chunk_rows * width, width);
}

} // namespace levee::cam
