// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/config.hpp"

#include "core/units/wide.hpp"

#include <algorithm>

namespace levee::flash {

std::uint64_t Config::read_bytes_per_second() const
{
    const Geometry& geometry = cells.geometry;
    std::uint64_t sum = 0;
    for (const TimingConfig& channel : channels) {
        const std::uint64_t at_a_time =
            std::uint64_t{geometry.planes_per_channel()} * geometry.page_bytes;
        sum += std::min(without_codes(channel.channel_bytes_per_second),
                        static_cast<std::uint64_t>(static_cast<double>(at_a_time) *
                                                   static_cast<double>(ps_per_second) /
                                                   static_cast<double>(channel.read)));
    }
    return std::min(sum, without_codes(link_bytes_per_second));
}

std::uint64_t Config::with_codes(std::uint64_t bytes) const
{
    const std::uint32_t page = cells.geometry.page_bytes;
    return static_cast<std::uint64_t>((Wide{bytes} * sent_bytes(npu_ecc) + page - 1) / page);
}

std::uint64_t Config::without_codes(std::uint64_t bytes) const
{
    return static_cast<std::uint64_t>(Wide{bytes} * cells.geometry.page_bytes /
                                      sent_bytes(npu_ecc));
}

} // namespace levee::flash
