// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_writer.hpp"

#include "platform/observe/trace/json_timeline.hpp"
#include "platform/observe/trace/perfetto_timeline.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace levee::trace {

bool is_perfetto(const std::filesystem::path& path)
{
    return (path.extension() == ".gz" ? path.stem() : path).extension() == ".pftrace";
}

std::unique_ptr<TimelineWriter> make_timeline_writer(const std::filesystem::path& path)
{
    if (is_perfetto(path))
        return std::make_unique<PerfettoTimeline>(path);
    return std::make_unique<JsonTimeline>(path);
}

std::string microseconds(std::uint64_t ps)
{
    constexpr std::uint64_t ps_per_us = 1'000'000;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%" PRIu64 ".%06" PRIu64, ps / ps_per_us,
                  ps % ps_per_us);
    return text.data();
}

} // namespace levee::trace
