// SPDX-License-Identifier: Apache-2.0
// flash_bench [FLASH_PEERS.csv] prints two comparisons.
// 1. Pages per second next to those of a public flash simulator, with its configuration and with
// cache read.
// 2. Host speed: page requests of one channel of Cambricon-LLM-L, with read-computes and sliced
// reads.
#include "test/unit/flash/peer_traffic.hpp"

#include <chrono>
#include <cstdio>

using namespace levee::flash;
using namespace levee::flash::test;

namespace {

void compare(const char* path)
{
    std::printf("pages/s: the peer's, ours, its share of the peer's; with cache read; ideal\n");
    for (const PeerRow& row : read_peer_rows(path)) {
        if (row.at("use_for_comparison") != "yes")
            continue;
        const PeerCase peer = parse_peer(row);
        const Outcome ours = simulate(peer);
        const double rate = std::stod(row.at("pages_per_s"));
        const bool programs = row.at("traffic").rfind("page programs", 0) == 0;
        const double same = programs ? ours.programs_per_second : ours.reads_per_second;
        std::printf("%8.0f %8.0f %6.3f  %8.0f %8s  latency %s us, ours %.2f  %s | %s\n", rate, same,
                    same / rate, simulate(with_cache_read(peer)).reads_per_second,
                    row.at("ideal_pages_per_s").c_str(), row.at("mean_latency_us").c_str(),
                    programs ? ours.program_latency_us : ours.read_latency_us,
                    row.at("parameters").c_str(), row.at("traffic").c_str());
    }
}

/// A channel has 16 cores and tiles of 512 columns, and a tenth of the pages is read.
void measure_speed()
{
    TimingConfig config;
    config.read = 30'000'000;
    config.channel_bytes_per_second = 1'000'000'000;
    config.core_macs_per_second = 546'133'334;
    config.buffer_bytes = config.slice_bytes = 2048;
    Channel channel({1, 8, 2, 2, 1024, 256, 16384, 1664}, config);
    std::vector<Request> tile;
    for (std::uint32_t die = 0; die < 16; ++die)
        tile.push_back({RequestKind::ReadCompute, die, 0, 0, 32, 16384});
    std::uint64_t requests = 0;
    const auto begun = std::chrono::steady_clock::now();
    for (int stage = 0; stage < 100; ++stage) {
        for (int i = 0; i < 500; ++i)
            channel.submit_tile(tile, 512, channel.now());
        for (std::uint32_t i = 0; i < 900; ++i)
            channel.submit({RequestKind::Read, i % 16, 1, 0, 16384, 0}, channel.now());
        requests += channel.pending();
        channel.run();
        channel.forget();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("%.2f M page requests a host second, in slices of 2 KiB\n",
                static_cast<double>(requests) * 1e-6 / took.count());
}

} // namespace

int main(int argc, char** argv)
{
    measure_speed();
    compare(argc > 1 ? argv[1] : LEVEE_FLASH_PEERS_DEFAULT);
}
