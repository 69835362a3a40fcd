// SPDX-License-Identifier: Apache-2.0
// Prints requests per second of processor time, next to those of other DRAM simulators from
// dram_peers.md. The traffic is a stream of consecutive reads, and one of 64 bytes at random
// places. Our figures are for streams priced as in a run, including the computation of prices; with
// each burst scheduled; and clock by clock with checks. The peers ran on another computer. Our
// clock-by-clock model ran there, too, so the printed factors are corrected for the difference
// between the machines. Usage: dram_speed_bench FOLDER [MiB]. FOLDER is ../shared/data/peers. MiB
// is the length (4).
#include "core/config/node.hpp"
#include "ip/dram/model.hpp"
#include "ip/dram/parameters_reader.hpp"
#include "test/dram_cycle/cycle_dram.hpp"
#include "test/dram_cycle/fast_run.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace levee;

namespace {

/// The traffic of the benchmark. The factors are this project's goals.
struct Traffic {
    const char* name;
    AccessPattern pattern;
    double times_the_peers;
};

constexpr double goal_of_streams = 100.0, goal_of_random = 5.0;

std::vector<Traffic> traffics()
{
    constexpr std::uint64_t extent = std::uint64_t{256} << 20;
    return {{"sequential", {0, extent, {1, 1, 1}, {0, 0, 0}, false}, goal_of_streams},
            {"random 64 B", {0, 64, {extent / 64, 1, 1}, {64, 0, 0}, true}, goal_of_random}};
}

/// Returns requests per second of processor time. Work is repeated until it has taken long enough
/// to be measured.
double rate(double requests, const std::function<void()>& work)
{
    constexpr double least_seconds = 0.2;
    const std::clock_t begin = std::clock();
    double seconds = 0.0;
    unsigned times = 0;
    for (; seconds < least_seconds; ++times) {
        work();
        seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    }
    return requests * times / seconds;
}

void schedule_all(const dram::Parameters& parameters, const dram_cycle::Stream& stream)
{
    const dram::Clocks clocks = dram::clocks(parameters);
    const dram::AddressMap map(parameters);
    dram::StreamSchedule schedule(parameters, clocks, map);
    const auto id =
        schedule.add({stream.pattern, stream.direction, stream.bytes, stream.seed, 1, 0});
    while (!schedule.done(id))
        schedule.run_until(schedule.now() + clocks.refi, dram::no_time);
}

/// Returns a peer's figure from its line in the section on host speed, such as "233 k", or 0 if the
/// line has none.
double figure(const std::string& cell, std::size_t number)
{
    const std::size_t slash = cell.find('/');
    if (slash == std::string::npos)
        return 0.0;
    return 1e3 * std::strtod(cell.c_str() + (number == 0 ? 0 : slash + 1), nullptr);
}

struct Peer {
    std::string name;
    std::vector<std::string> cells; ///< One cell each for LPDDR4 and LPDDR5.

    [[nodiscard]] bool ours() const { return name.find("Levee cycle") != std::string::npos; }
    [[nodiscard]] double requests(std::size_t column, std::size_t number) const
    {
        return column < cells.size() ? figure(cells[column], number) : 0.0;
    }
};

std::vector<Peer> read_peers(const std::string& path)
{
    std::ifstream file(path);
    std::vector<Peer> peers;
    bool here = false;
    for (std::string line; std::getline(file, line);) {
        here = line.starts_with("## ") ? line == "## Host speed" : here;
        if (!here || !line.starts_with("| ") || line.starts_with("| model") ||
            line.starts_with("| Levee fast"))
            continue;
        Peer peer;
        for (std::size_t at = 1; at < line.size();) {
            const std::size_t end = std::min(line.find('|', at), line.size());
            const std::string cell = line.substr(at, end - at);
            if (peer.name.empty())
                peer.name = cell;
            else
                peer.cells.push_back(cell);
            at = end + 1;
        }
        peers.push_back(peer);
    }
    if (peers.empty())
        throw std::runtime_error(path + ": expected a table under the heading '## Host speed'");
    return peers;
}

void print(const std::string& standard, std::size_t column, const dram::Parameters& parameters,
           const std::vector<Peer>& peers, std::uint64_t bytes)
{
    std::size_t number = 0;
    for (const Traffic& traffic : traffics()) {
        const dram_cycle::Stream stream{traffic.pattern, Direction::Read, bytes};
        const double requests = static_cast<double>(bytes) / parameters.burst_bytes();
        const double priced = rate(requests, [&] {
            dram::DramTiming timing("dram", parameters, nullptr);
            (void)dram_cycle::fast_completions(timing, {stream});
        });
        const double scheduled = rate(requests, [&] { schedule_all(parameters, stream); });
        const double cycle =
            rate(requests, [&] { (void)dram_cycle::CycleDram(parameters).run({stream}); });
        const auto our = std::ranges::find_if(peers, &Peer::ours);
        const double there = our == peers.end() ? 0.0 : our->requests(column, number);
        if (there <= 0.0)
            throw std::runtime_error("no figures of Levee's cycle-level model among the peers'");
        const double faster = cycle / there;
        std::printf("%s, %s: priced %.0f k/s, each burst scheduled %.0f k/s, clock by clock %.0f "
                    "k/s, %.1f times the peers' computer\n",
                    standard.c_str(), traffic.name, priced / 1e3, scheduled / 1e3, cycle / 1e3,
                    faster);
        for (const Peer& peer : peers) {
            const double its = faster * peer.requests(column, number);
            if (its > 0.0 && !peer.ours())
                std::printf("   %s%.0f k/s: %.0f and %.0f times; goal %.0f: %s by price, %s with "
                            "each burst scheduled\n",
                            peer.name.c_str(), its / faster / 1e3, priced / its, scheduled / its,
                            traffic.times_the_peers,
                            priced >= traffic.times_the_peers * its ? "met" : "missed",
                            scheduled >= traffic.times_the_peers * its ? "met" : "missed");
        }
        ++number;
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: %s FOLDER [MiB]\n", argv[0]);
        return 2;
    }
    try {
        const std::string folder = argv[1];
        const std::uint64_t mib = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4;
        const std::vector<Peer> peers = read_peers(folder + "/dram_peers.md");
        std::size_t column = 0;
        for (const std::string name : {"lpddr4", "lpddr5"}) {
            const std::string path = folder + "/" + name + "_ab.yaml";
            print(name, column++, config::read_dram_parameters(config::load_yaml(path), "dram"),
                  peers, (mib > 0 ? mib : 4) << 20);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "dram_speed_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
