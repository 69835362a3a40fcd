// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/timing/channel.hpp"

#include <algorithm>
#include <vector>

namespace levee::flash::test {

inline constexpr Time us = 1'000'000;

/// Returns one channel of Cambricon-LLM: 16 KiB pages, tR = 30 us, 1 GB/s, and a core that takes tR
/// for a page.
inline TimingConfig cambricon()
{
    TimingConfig config;
    config.read = 30 * us;
    config.program = 600 * us;
    config.erase = 3000 * us;
    config.channel_bytes_per_second = 1'000'000'000;
    config.core_macs_per_second = 546'133'334;
    config.buffer_bytes = 2048;
    config.slice_bytes = 2048;
    return config;
}

inline Geometry geometry(std::uint32_t chips, std::uint32_t dies, std::uint32_t planes)
{
    return {1, chips, dies, planes, 64, 256, 16384, 1664};
}

/// A channel and the times of its requests.
struct Recorded {
    Channel channel;
    std::vector<Span> spans;

    Recorded(const Geometry& its_geometry, const TimingConfig& config)
        : channel(its_geometry, config)
    {
        channel.on_span = [this](const Span& span) { spans.push_back(span); };
    }
    [[nodiscard]] std::vector<Span> of(Step step) const
    {
        std::vector<Span> found;
        for (const Span& span : spans)
            if (span.step == step)
                found.push_back(span);
        return found;
    }
    /// Returns whether no two of these spans overlap.
    static bool are_apart(std::vector<Span> some)
    {
        std::sort(some.begin(), some.end(), [](const Span& a, const Span& b) {
            return a.from != b.from ? a.from < b.from : a.to < b.to;
        });
        for (std::size_t i = 1; i < some.size(); ++i)
            if (some[i].from < some[i - 1].to)
                return false;
        return true;
    }
};

} // namespace levee::flash::test
