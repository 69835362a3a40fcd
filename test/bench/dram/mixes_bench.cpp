// SPDX-License-Identifier: Apache-2.0
// Compares the ends of random mixes of 1 to 16 streams by the fast model and by the cycle-level
// model, and counts deviations by size. Usage: dram_mixes_bench PRICES STANDARD LEAST MOST MIXES
// [SEED [paced]]. STANDARD may be followed by a colon and further keys ("ddr4:refresh: all_bank").
// LEAST and MOST are the bytes of a stream. With `paced`, some streams have a limited pace. If
// MIXES is negative, the fast model runs alone and prints its ends, to count instructions and to
// check that the ends stay the same.
#include "test/unit/dram/decoders.hpp"
#include "test/unit/dram/mixes.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

using namespace levee;
using namespace levee::dram_test;

namespace {

void print_ends(const dram::Parameters& parameters, Mixes& mixes, long number)
{
    for (long n = 0; n < number; ++n) {
        dram::DramTiming timing("dram", parameters);
        for (const Picoseconds end : fast_completions(timing, mixes.draw()))
            std::printf("%llu\n", static_cast<unsigned long long>(end));
    }
}

/// Prints the shares of the ends that deviate by at most each limit, or by at most a burst.
void print_deviations(const dram::Parameters& parameters, Mixes& mixes, long number)
{
    const double burst_ps = parameters.burst_bytes() * 1e12 * parameters.organisation.channels /
                            parameters.peak_bytes_per_s();
    std::vector<double> off;
    std::size_t right = 0;
    for (long n = 0; n < number; ++n) {
        const std::vector<Stream> streams = mixes.draw();
        dram::DramTiming timing("dram", parameters);
        const auto fast = fast_completions(timing, streams);
        for (const Took& took : times_of(streams, fast, ends_of_activities(parameters, streams))) {
            const double ps =
                std::abs(static_cast<double>(took.fast) - static_cast<double>(took.cycle));
            off.push_back(std::abs(took.ratio() - 1.0));
            right += off.back() <= 0.01 || ps <= burst_ps ? 1 : 0;
        }
    }
    std::ranges::sort(off);
    const auto share = [&](double within) {
        return 100.0 * static_cast<double>(std::ranges::upper_bound(off, within) - off.begin()) /
               static_cast<double>(off.size());
    };
    std::printf(
        "%zu ends: %.1f %% within 1 %% or a burst; %.1f %% within 1 %%, %.1f %% within 2 %%, "
        "%.1f %% within 5 %%, %.1f %% within 10 %%, all within %.1f %%\n",
        off.size(), 100.0 * static_cast<double>(right) / static_cast<double>(off.size()),
        share(0.01), share(0.02), share(0.05), share(0.1), 100.0 * off.back());
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 6) {
        std::fprintf(stderr, "usage: dram_mixes_bench by_kind|by_schedule STANDARD LEAST MOST "
                             "MIXES [SEED [paced]]\n");
        return 2;
    }
    try {
        const std::string prices = argv[1];
        const std::string memory = argv[2];
        const std::size_t colon = std::min(memory.find(':'), memory.size());
        const std::string name = memory.substr(0, colon);
        const std::string more = memory.substr(std::min(colon + 1, memory.size()));
        const dram::Parameters parameters =
            prices == "by_schedule" ? scheduled(name, more) : standard(name, more);
        Mixes mixes(parameters, {std::stoull(argv[3]), std::stoull(argv[4]), argc > 7},
                    argc > 6 ? static_cast<unsigned>(std::stoul(argv[6])) : 1);
        const long number = std::stol(argv[5]);
        if (number < 0)
            print_ends(parameters, mixes, -number);
        else
            print_deviations(parameters, mixes, number);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dram_mixes_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
