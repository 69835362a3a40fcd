// SPDX-License-Identifier: Apache-2.0
#include "test/dram_cycle/fast_run.hpp"

#include <algorithm>

namespace levee::dram_cycle {

namespace {

struct Running {
    Activity activity;
    Picoseconds start = 0;
    std::vector<std::size_t> streams;
};

std::vector<Running> activities_of(dram::DramTiming& timing, const std::vector<Stream>& streams)
{
    std::vector<Running> all;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const Stream& stream = streams[i];
        auto its = std::find_if(all.begin(), all.end(), [&](const Running& r) {
            return stream.activity != 0 && streams[r.streams.front()].activity == stream.activity;
        });
        if (its == all.end())
            its = all.insert(all.end(), Running{{}, stream.start, {}});
        its->activity.uses.push_back(
            FlowUse{&timing, stream.direction, stream.pattern, stream.bytes});
        its->activity.minimum = std::max(its->activity.minimum, stream.least_time);
        its->streams.push_back(i);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Running& a, const Running& b) { return a.start < b.start; });
    return all;
}

} // namespace

std::vector<Picoseconds> fast_completions(dram::DramTiming& timing,
                                          const std::vector<Stream>& streams,
                                          FlowObserver* observer)
{
    const auto tell = [observer](Picoseconds now, const FlowNetwork& network) {
        if (observer != nullptr)
            observer->shared(now, network.running());
    };
    std::vector<Running> all = activities_of(timing, streams);
    std::vector<Picoseconds> completed(streams.size(), 0);
    FlowNetwork network;
    std::size_t next = 0;
    while (next < all.size() || !network.running().empty()) {
        const Picoseconds end = network.next_event();
        if (next < all.size() && all[next].start < end) {
            const Picoseconds now = all[next].start;
            for (; next < all.size() && all[next].start == now; ++next) {
                for (const FlowUse& use : all[next].activity.uses)
                    timing.begins(use.bytes, now);
                network.start(all[next].activity, now);
            }
            tell(now, network);
            continue;
        }
        network.finish_due(end, [&](Activity& activity) {
            const auto its = std::find_if(
                all.begin(), all.end(), [&](const Running& r) { return &r.activity == &activity; });
            for (const std::size_t i : its->streams)
                completed[i] = end + timing.unloaded_latency(streams[i].direction);
        });
        tell(end, network);
    }
    return completed;
}

} // namespace levee::dram_cycle
