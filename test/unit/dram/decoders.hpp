// SPDX-License-Identifier: Apache-2.0
// Random transfers that resemble a decoder's, and the clocks at which a schedule ends them.
#pragma once

#include "ip/dram/stream_schedule.hpp"
#include "test/unit/dram/support.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <vector>

namespace levee::dram_test {

/// Random operations of a decoder. Each reads an operand at its block's pace, often with scales and
/// a result. It may start while earlier ones are still running.
class Decoder {
public:
    Decoder(const dram::Parameters& parameters, unsigned seed)
        : peak_(parameters.peak_bytes_per_s() / 1e12), generator_(seed)
    {
    }

    std::vector<Stream> draw()
    {
        start_ = below(5000);
        const std::uint64_t operations = 20 + below(40);
        address_ = below(64 * MiB) / 64 * 64;
        for (unsigned n = 1; n <= operations; ++n)
            add_operation(n);
        return streams_;
    }

private:
    std::uint64_t below(std::uint64_t end) { return generator_() % end; }

    std::uint64_t draw_bytes()
    {
        constexpr std::uint64_t usual[]{256,   12288, 32,  128,  2560, 4096, 22016,
                                        11008, 64,    768, 5504, 1024, 8192};
        const std::uint64_t bytes = usual[below(std::size(usual))];
        return below(4) == 0 ? 64 + below(16384) / 16 * 16 : bytes;
    }

    void add_operation(unsigned number)
    {
        const std::uint64_t bytes = draw_bytes();
        const Direction direction = below(4) == 0 ? W : R;
        const double pace = (0.1 + 0.01 * static_cast<double>(below(140))) * peak_;
        std::size_t streams = 1;
        streams += below(2) != 0 ? 1 : 0;
        streams += below(4) == 0 ? 1 : 0;
        const auto time = static_cast<Picoseconds>(static_cast<double>(bytes) / pace);
        const Picoseconds least_time = below(3) == 0 ? 0 : time;
        for (std::size_t i = 0; i < streams; ++i) {
            add_stream(i == 0 ? bytes : part_of(bytes, i), i == 2 ? W : direction);
            streams_.back().activity = number;
            streams_.back().least_time = least_time;
        }
        if (below(3) == 0)
            return; // The next operation starts at the same time.
        const double duration = static_cast<double>(bytes) / std::min(pace, peak_);
        const double share = 0.2 + 0.01 * static_cast<double>(below(150));
        start_ += static_cast<Picoseconds>(duration * share) + below(100'000);
    }

    std::uint64_t part_of(std::uint64_t bytes, std::size_t stream)
    {
        return std::max<std::uint64_t>(16, bytes / (stream == 1 ? 16 : 8) / (1 + below(3)));
    }

    void add_stream(std::uint64_t bytes, Direction direction)
    {
        Stream stream = below(6) == 0 ? strided(direction, address_, (bytes + 63) / 64 * 64, 64,
                                                static_cast<std::int64_t>(64 * (1 + below(9))))
                                      : sequential(direction, address_, bytes);
        stream.start = start_;
        stream.draw = dram_cycle::Draw::Hashed;
        stream.seed = streams_.size() + 1;
        const std::uint64_t gap = below(2) != 0 ? 4 * KiB : below(1 * MiB) / 64 * 64;
        address_ = (address_ + (bytes * 10 + 255) / 256 * 256 + gap) % (256 * MiB);
        streams_.push_back(stream);
    }

    double peak_;
    std::mt19937_64 generator_;
    Picoseconds start_ = 0;
    std::uint64_t address_ = 0;
    std::vector<Stream> streams_;
};

/// Schedules streams without a run, in the order of their starts. No activity's pace depends on
/// earlier progress.
class Replay {
public:
    Replay(const dram::Parameters& parameters, const std::vector<Stream>& streams)
        : parameters_(parameters), streams_(streams), clocks_(dram::clocks(parameters)),
          map_(parameters), schedule_(parameters, clocks_, map_)
    {
    }

    /// Returns the completion time of each stream.
    std::vector<Picoseconds> run()
    {
        const Picoseconds period = parameters_.timing.clock;
        for (const Stream& stream : streams_) {
            go_on_to((stream.start + period - 1) / period);
            start(stream);
        }
        while (std::ranges::count(ends_, dram::no_time) > 0)
            go_on_to(schedule_.now() + look);
        std::vector<Picoseconds> completed;
        for (const dram::Clock end : ends_)
            completed.push_back(end * period + parameters_.controller.latency);
        return completed;
    }

private:
    /// The number of clocks scheduled at a time: small and odd, so that boundaries fall at all
    /// kinds of moments.
    static constexpr dram::Clock look = 97;

    void start(const Stream& stream)
    {
        const std::uint64_t alone = streams_.size() + ids_.size();
        const auto id = schedule_.add({stream.pattern, stream.direction, stream.bytes, stream.seed,
                                       stream.activity > 0 ? stream.activity : alone, 0});
        if (stream.least_time > 0)
            schedule_.set_pace(id, static_cast<double>(stream.bytes) *
                                       static_cast<double>(parameters_.timing.clock) /
                                       static_cast<double>(stream.least_time));
        ids_.push_back(id);
        ends_.push_back(dram::no_time);
        is_released_.push_back(false);
    }

    void go_on_to(dram::Clock clock)
    {
        while (schedule_.now() < clock) {
            schedule_.run_until(std::min(clock, schedule_.now() + look), dram::no_time);
            for (std::size_t i = 0; i < ids_.size(); ++i)
                if (ends_[i] == dram::no_time && schedule_.done(ids_[i]))
                    ends_[i] = schedule_.done_at(ids_[i]);
            release();
        }
    }

    /// Releases the streams of an activity when all of them are done, as a run does.
    void release()
    {
        for (std::size_t i = 0; i < ids_.size(); ++i)
            if (!is_released_[i] && is_over(i)) {
                schedule_.release(ids_[i]);
                is_released_[i] = true;
            }
    }

    [[nodiscard]] bool is_over(std::size_t stream) const
    {
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            const bool together =
                i == stream ||
                (streams_[i].activity > 0 && streams_[i].activity == streams_[stream].activity);
            if (together && (i >= ends_.size() || ends_[i] > schedule_.now()))
                return false;
        }
        return true;
    }

    const dram::Parameters& parameters_;
    const std::vector<Stream>& streams_;
    dram::Clocks clocks_;
    dram::AddressMap map_;
    dram::StreamSchedule schedule_;
    std::vector<dram::StreamSchedule::Id> ids_;
    std::vector<dram::Clock> ends_;
    std::vector<bool> is_released_;
};

/// Aligns the starts to whole clocks. A run treats a start up to 2 ps after a clock as at that
/// clock.
[[nodiscard]] inline std::vector<Stream> at_clocks(const dram::Parameters& parameters,
                                                   std::vector<Stream> streams)
{
    const Picoseconds period = parameters.timing.clock;
    for (Stream& stream : streams)
        stream.start = (stream.start + period - 1) / period * period;
    return streams;
}

/// Returns when the streams' activities end in the cycle-level model: at their last data, but not
/// before their paces allow. All streams of an activity have the same end.
[[nodiscard]] inline std::vector<Picoseconds> ends_of_activities(const dram::Parameters& parameters,
                                                                 const std::vector<Stream>& streams)
{
    const Outcome outcome = CycleDram(parameters).run(streams);
    const dram::Clocks clocks = dram::clocks(parameters);
    const auto together = [&](std::size_t i, std::size_t k) {
        return i == k || (streams[i].activity != 0 && streams[i].activity == streams[k].activity);
    };
    std::vector<Picoseconds> ends(streams.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
        Picoseconds paced = 0, latency = 0;
        for (std::size_t k = 0; k < streams.size(); ++k) {
            if (!together(i, k))
                continue;
            ends[i] = std::max(ends[i], outcome.completed[k]);
            paced = std::max(paced, outcome.paced[k]);
            if (streams[k].direction == R)
                latency = (clocks.read_latency + clocks.burst) * parameters.timing.clock;
        }
        ends[i] = std::max(ends[i], paced + latency + parameters.controller.latency);
    }
    return ends;
}

} // namespace levee::dram_test
