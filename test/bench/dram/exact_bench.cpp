// SPDX-License-Identifier: Apache-2.0
// Streams that the schedule ends at another clock than the cycle-level controller, over drawn
// mixes, each with its seed: to find the first command that differs. Usage: dram_exact_bench
// decoder|mix STANDARD FIRST LAST [alone]. STANDARD may be followed by a colon and further keys of
// it ("lpddr5:refresh_rate: 2x"); FIRST and LAST are seeds. Exit status 1: some end differs. Alone,
// the schedule prints its ends: for counts of instructions, and to see that they stay.
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

void print(const dram::Parameters& parameters, const std::vector<Stream>& streams)
{
    for (const Picoseconds end : Replay(parameters, streams).run())
        std::printf("%llu\n", static_cast<unsigned long long>(end));
}

std::vector<Stream> drawn(const std::string& kind, const dram::Parameters& parameters,
                          unsigned seed)
{
    return kind == "decoder" ? Decoder(parameters, seed).draw()
                             : Mixes(parameters, {64, 16 * KiB, true}, seed).draw();
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
            print(parameters, streams);
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
    if ((kind != "decoder" && kind != "mix") || (argc == 6 && !alone)) {
        std::fprintf(stderr, "usage: dram_exact_bench decoder|mix STANDARD FIRST LAST [alone]\n");
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
