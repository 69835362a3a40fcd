// SPDX-License-Identifier: Apache-2.0
// Random mixes of streams, for comparisons of the fast model with the cycle-level model.
#pragma once

#include "test/unit/dram/support.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace levee::dram_test {

/// The range of random mixes.
struct Kinds {
    std::uint64_t least, most; ///< Bytes of a stream, drawn on a logarithmic scale.
    bool own_paces = false;
};

class Mixes {
public:
    Mixes(const dram::Parameters& parameters, const Kinds& kinds, unsigned seed)
        : bytes_per_ps_(parameters.peak_bytes_per_s() / 1e12), kinds_(kinds), generator_(seed)
    {
    }

    /// Draws 1 to 16 streams, each alone or in an activity of 2 to 4. Activities start together, or
    /// while earlier ones may still run.
    std::vector<Stream> draw()
    {
        std::vector<Stream> mix;
        const std::size_t streams = 1 + below(16);
        unsigned activities = 0;
        std::uint64_t bytes = 0;
        while (mix.size() < streams) {
            const bool in_step = below(3) == 0;
            const std::size_t together =
                in_step ? std::min<std::size_t>(2 + below(3), streams - mix.size()) : 1;
            const auto span =
                static_cast<std::uint64_t>(static_cast<double>(bytes) / bytes_per_ps_);
            const Picoseconds start = below(2) == 0 ? 0 : below(span + 1);
            const double share = kinds_.own_paces && below(4) == 0
                                     ? 0.05 + 0.001 * static_cast<double>(below(500))
                                     : 0;
            if (together > 1)
                ++activities;
            for (std::size_t i = 0; i < together; ++i) {
                Stream stream = one();
                stream.start = start;
                stream.activity = together > 1 ? activities : 0;
                if (share > 0.0 && together == 1)
                    stream.least_time = static_cast<Picoseconds>(static_cast<double>(stream.bytes) /
                                                                 (share * bytes_per_ps_));
                bytes += stream.bytes;
                mix.push_back(stream);
            }
        }
        // The address depends on the stream's position in the order of starts.
        std::stable_sort(mix.begin(), mix.end(),
                         [](const Stream& a, const Stream& b) { return a.start < b.start; });
        for (std::size_t i = 0; i < mix.size(); ++i)
            mix[i].seed = i + 1;
        return mix;
    }

private:
    std::uint64_t below(std::uint64_t end) { return generator_() % end; }

    Stream one()
    {
        const double octaves =
            std::log2(static_cast<double>(kinds_.most) / static_cast<double>(kinds_.least));
        const double size = static_cast<double>(kinds_.least) *
                            std::exp2(octaves * static_cast<double>(below(1000)) / 1000);
        const Direction direction = below(5) < 2 ? W : R;
        const std::uint64_t address = below(256 * MiB) / 64 * 64;
        const std::uint64_t run = std::uint64_t{64} << below(4);
        const std::uint64_t bytes = (static_cast<std::uint64_t>(size) + run - 1) / run * run;
        Stream stream = sequential(direction, address, bytes);
        if (const std::uint64_t kind = below(4); kind == 2)
            stream = strided(direction, address, bytes, run,
                             static_cast<std::int64_t>(run * (2 + below(30))));
        else if (kind == 3)
            stream = random(direction, address, bytes, run, 16 * MiB, 0);
        stream.draw = dram_cycle::Draw::Hashed;
        return stream;
    }

    double bytes_per_ps_;
    Kinds kinds_;
    std::mt19937_64 generator_;
};

/// The time until an activity's last stream ends, by each of the two models.
struct Took {
    Picoseconds fast = 0, cycle = 0;

    [[nodiscard]] double ratio() const
    {
        return static_cast<double>(fast) / static_cast<double>(cycle);
    }
};

/// Returns the times of each activity of a mix, by both models.
[[nodiscard]] inline std::vector<Took> times_of(const std::vector<Stream>& streams,
                                                const std::vector<Picoseconds>& fast,
                                                const std::vector<Picoseconds>& cycle)
{
    std::map<std::size_t, Took> activities;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const unsigned activity = streams[i].activity;
        Took& its = activities[activity > 0 ? activity : 1000 + i];
        its.fast = std::max(its.fast, fast[i] - streams[i].start);
        its.cycle = std::max(its.cycle, cycle[i] - streams[i].start);
    }
    std::vector<Took> times;
    for (const auto& [activity, took] : activities)
        times.push_back(took);
    return times;
}

} // namespace levee::dram_test
