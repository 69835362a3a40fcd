// SPDX-License-Identifier: Apache-2.0
// Compares bandwidth with that of other DRAM simulators. For each line of dram_peers.csv, the
// cycle-level and the fast model run the same traffic, and the ratios are printed. The cycle-level
// model also runs with the peer's way to choose among possible commands (column "its"). Usage:
// dram_peers_bench FOLDER [MiB]. FOLDER is ../shared/data/peers. MiB is the length of a case (2).
#include "ip/dram/parameters_reader.hpp"
#include "test/dram_cycle/peers.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <utility>

using namespace levee;

namespace {

struct Ours {
    double cycle, fast, its;
};

Ours ours_of(const dram_cycle::PeerCase& peer_case, const std::string& folder, std::uint64_t bytes)
{
    dram::Parameters parameters = config::read_dram_parameters(
        config::load_yaml(folder + "/" + peer_case.parameters_file()), "dram");
    peer_case.complete(parameters);
    return {dram_cycle::cycle_bytes_per_s(peer_case, parameters, bytes),
            dram_cycle::fast_bytes_per_s(peer_case, parameters, bytes),
            dram_cycle::cycle_bytes_per_s(peer_case, parameters, bytes, peer_case.manner())};
}

void print_all(const std::string& folder, std::uint64_t bytes)
{
    std::printf("%-12s %-18s %-16s %8s %8s %8s %8s %8s %8s %8s   GB/s and ratio to the peer\n",
                "peer", "configuration", "traffic", "peer", "cycle", "fast", "its", "cycle", "fast",
                "its");
    std::map<std::pair<std::string, std::string>, Ours> known;
    for (const dram_cycle::PeerCase& peer_case :
         dram_cycle::read_peer_cases(folder + "/dram_peers.csv")) {
        const auto key =
            std::pair(peer_case.parameters_file() + peer_case.parameter("PPD") + peer_case.peer,
                      peer_case.traffic);
        auto found = known.find(key);
        if (found == known.end())
            found = known.emplace(key, ours_of(peer_case, folder, bytes)).first;
        const Ours& ours = found->second;
        const double peer = peer_case.bytes_per_s;
        std::printf("%-12s %-18s %-16s %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f\n",
                    peer_case.peer.c_str(), peer_case.config.c_str(), peer_case.name.c_str(),
                    peer / 1e9, ours.cycle / 1e9, ours.fast / 1e9, ours.its / 1e9,
                    ours.cycle / peer, ours.fast / peer, ours.its / peer);
        std::fflush(stdout);
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
        const std::uint64_t mib = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2;
        print_all(argv[1], (mib > 0 ? mib : 2) << 20);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
