// SPDX-License-Identifier: Apache-2.0
// Prints the errors of estimated ends of long streams, with prices by kind and by schedule, against
// a schedule of every burst. There is a line for each standard, refresh mode and mix. Usage:
// dram_long_bench [STANDARD[:KEYS]...]. KEYS are further keys, such as "ranks: 2". Without
// arguments all shipped standards run. An error is that of the worst end of an activity, in
// percent; REFUSED stands for an error message.
#include "test/unit/dram/decoders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::dram_test;

namespace {

struct Mix {
    const char* name;
    std::vector<Stream> streams;
};

Stream in_activity(Stream stream, Picoseconds least_time)
{
    stream.activity = 1;
    stream.least_time = least_time;
    return stream;
}

/// Mixes of streams, each with several times as many bursts as the model schedules before it
/// estimates.
std::vector<Mix> mixes_of(const dram::Parameters& parameters)
{
    const std::uint64_t all = 6 * dram::RunningMix::bursts_watched * parameters.burst_bytes();
    const auto at_peak =
        static_cast<Picoseconds>(static_cast<double>(all) * 1e12 / parameters.peak_bytes_per_s());
    const auto place = [](unsigned n) { return (n * 37 + 1) * MiB + n * 68 * KiB; };
    const Stream weights = sequential(R, place(0), all),
                 scales = sequential(R, place(1), all / KiB),
                 results = sequential(W, place(2), all / 64);
    return {
        {"R", {sequential(R, place(0), all)}},
        {"W", {sequential(W, place(0), all)}},
        {"RR", {sequential(R, place(0), all / 2), sequential(R, place(1), all / 2)}},
        {"RW", {sequential(R, place(0), all / 2), sequential(W, place(1), all / 2)}},
        {"RRRW",
         {sequential(R, place(0), all / 4), sequential(R, place(1), all / 4),
          sequential(R, place(2), all / 4), sequential(W, place(3), all / 4)}},
        {"scales", {in_activity(weights, 0), in_activity(scales, 0)}},
        {"wide", {in_activity(weights, at_peak / 100), in_activity(scales, at_peak / 100)}},
        {"paced", {in_activity(weights, at_peak), in_activity(scales, at_peak)}},
        {"results",
         {in_activity(weights, at_peak), in_activity(scales, at_peak),
          in_activity(results, at_peak)}},
        {"strided", {strided(R, place(0), all / 2, 256, 4096), sequential(R, place(1), all / 2)}},
        {"random", {random(R, 0, all / 2, 64, 32 * MiB, 1)}},
    };
}

std::string error_of(dram::Parameters parameters, dram::PriceMode prices,
                     const std::vector<Stream>& streams, const std::vector<Picoseconds>& expected)
{
    parameters.controller.prices = prices;
    double worst = 0.0;
    try {
        dram::DramTiming timing("dram", parameters);
        const std::vector<Picoseconds> ends = fast_completions(timing, streams);
        const Picoseconds last = *std::max_element(ends.begin(), ends.end());
        const Picoseconds at = *std::max_element(expected.begin(), expected.end());
        worst = static_cast<double>(last) / static_cast<double>(at) - 1.0;
        for (std::size_t i = 0; i < ends.size() && streams[i].activity == 0; ++i) {
            const double off =
                static_cast<double>(ends[i]) / static_cast<double>(expected[i]) - 1.0;
            worst = std::abs(off) > std::abs(worst) ? off : worst;
        }
    } catch (const std::exception&) {
        return "REFUSED";
    }
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f", 100.0 * worst);
    return text;
}

void compare(const std::string& name, const std::string& keys)
{
    dram::Parameters parameters;
    try {
        parameters = standard(name, keys);
    } catch (const std::exception& error) {
        std::printf("%-8s %-44s refused: %.100s\n", name.c_str(), keys.c_str(), error.what());
        return;
    }
    std::printf("%-8s %-44s", name.c_str(), keys.c_str());
    for (const Mix& mix : mixes_of(parameters)) {
        const std::vector<Picoseconds> expected = Replay(parameters, mix.streams).run();
        std::printf(
            " %s %s/%s", mix.name,
            error_of(parameters, dram::PriceMode::ByKind, mix.streams, expected).c_str(),
            error_of(parameters, dram::PriceMode::BySchedule, mix.streams, expected).c_str());
        std::fflush(stdout);
    }
    std::printf("\n");
}

std::vector<std::string> all_standards()
{
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(LEVEE_DRAM_STANDARDS))
        names.push_back(file.path().stem());
    std::ranges::sort(names);
    return names;
}

} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> memories =
        argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : all_standards();
    std::printf("errors in percent: by kind/by schedule\n");
    for (const std::string& memory : memories)
        for (const char* mode : {"all_bank", "per_bank"})
            for (const char* rate : {"1x", "2x", "4x"}) {
                const std::size_t colon = std::min(memory.find(':'), memory.size());
                const std::string more = memory.substr(std::min(colon + 1, memory.size()));
                compare(memory.substr(0, colon), "{channels: 2, refresh: " + std::string(mode) +
                                                     ", refresh_rate: " + rate +
                                                     (more.empty() ? "" : ", " + more) + "}");
            }
}
