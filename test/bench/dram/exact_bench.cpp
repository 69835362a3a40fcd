// SPDX-License-Identifier: Apache-2.0
// Searches for mixes of DRAM streams that end at different clocks in the schedule and in the
// cycle-level controller. A mix is drawn from a seed, so that a differing one can be repeated.
// Usage: dram_exact_bench decoder|mix|run STANDARD FIRST LAST [alone]. STANDARD may be followed by
// a colon and further keys ("lpddr5:refresh_rate: 2x"). FIRST and LAST are seeds. With `run`, a
// decoder's transfers are activities of a whole run, in which the end of one determines when others
// start. The exit status is 1 if any end differs. With `alone`, the schedule runs by itself and
// prints its ends, to count instructions and to check that the ends stay the same.
#include "test/unit/dram/decoders.hpp"
#include "test/unit/dram/mixes.hpp"

#include <cstdio>
#include <exception>
#include <string>

using namespace levee;
using namespace levee::dram_test;

namespace {

struct Count {
    std::size_t ends = 0, other = 0;
};

/// Returns the ends of the streams by the schedule: with given starts and paces, or within a run.
std::vector<Picoseconds> ends_of(const std::string& kind, const dram::Parameters& parameters,
                                 const std::vector<Stream>& streams)
{
    if (kind != "run")
        return Replay(parameters, streams).run();
    dram::DramTiming timing("dram", parameters);
    return fast_completions(timing, streams);
}

void compare(const dram::Parameters& parameters, const std::vector<Stream>& streams, unsigned seed,
             Count& count)
{
    const std::vector<Picoseconds> fast = Replay(parameters, streams).run();
    const std::vector<Picoseconds> cycle = CycleDram(parameters).run(streams).completed;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        ++count.ends;
        if (fast[i] == cycle[i])
            continue;
        ++count.other;
        std::printf("seed %u, stream %zu: %llu for %llu ps\n", seed, i,
                    static_cast<unsigned long long>(fast[i]),
                    static_cast<unsigned long long>(cycle[i]));
    }
}

/// In a run, an activity that its pace limits ends at any picosecond; in the cycle-level model it
/// ends at a clock. Ends agree if they differ by at most a burst or by at most 1 %.
void compare_run(const dram::Parameters& parameters, const std::vector<Stream>& streams,
                 unsigned seed, Count& count)
{
    const double burst_ps = parameters.burst_bytes() * 1e12 * parameters.organisation.channels /
                            parameters.peak_bytes_per_s();
    const std::vector<Picoseconds> fast = ends_of("run", parameters, streams);
    for (const Took& took : times_of(streams, fast, ends_of_activities(parameters, streams))) {
        const double off =
            std::abs(static_cast<double>(took.fast) - static_cast<double>(took.cycle));
        ++count.ends;
        if (off <= burst_ps || std::abs(took.ratio() - 1.0) <= 0.01)
            continue;
        ++count.other;
        std::printf("seed %u: %llu for %llu ps\n", seed, static_cast<unsigned long long>(took.fast),
                    static_cast<unsigned long long>(took.cycle));
    }
}

void print(const std::string& kind, const dram::Parameters& parameters,
           const std::vector<Stream>& streams)
{
    for (const Picoseconds end : ends_of(kind, parameters, streams))
        std::printf("%llu\n", static_cast<unsigned long long>(end));
}

std::vector<Stream> drawn(const std::string& kind, const dram::Parameters& parameters,
                          unsigned seed)
{
    return kind == "mix" ? Mixes(parameters, {64, 16 * KiB, true}, seed).draw()
                         : Decoder(parameters, seed).draw();
}

int run(const std::string& kind, const std::string& memory, unsigned first, unsigned last,
        bool alone)
{
    const std::size_t colon = std::min(memory.find(':'), memory.size());
    const dram::Parameters parameters =
        scheduled(memory.substr(0, colon), memory.substr(std::min(colon + 1, memory.size())));
    Count count;
    for (unsigned seed = first; seed <= last; ++seed) {
        const std::vector<Stream> streams = drawn(kind, parameters, seed);
        if (alone)
            print(kind, parameters, streams);
        else if (kind == "run")
            compare_run(parameters, at_clocks(parameters, streams), seed, count);
        else
            compare(parameters, streams, seed, count);
    }
    if (alone)
        return 0;
    std::printf("%zu of %zu ends at another clock\n", count.other, count.ends);
    return count.other > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string kind = argc == 5 || argc == 6 ? argv[1] : "";
    const bool alone = argc == 6 && std::string(argv[5]) == "alone";
    if ((kind != "decoder" && kind != "mix" && kind != "run") || (argc == 6 && !alone)) {
        std::fprintf(stderr,
                     "usage: dram_exact_bench decoder|mix|run STANDARD FIRST LAST [alone]\n");
        return 2;
    }
    try {
        return run(kind, argv[2], static_cast<unsigned>(std::stoul(argv[3])),
                   static_cast<unsigned>(std::stoul(argv[4])), alone);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dram_exact_bench: %s\n", error.what());
        return 2;
    }
}
