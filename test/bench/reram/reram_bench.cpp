// SPDX-License-Identifier: Apache-2.0
// Prints every figure of a public crossbar simulator (crossbar_peers.csv) next to ours. Also prints
// how many products our model simulates per second of host time.
#include "test/unit/reram/peer_cases.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace levee::reram::test;

namespace {

struct Spread {
    double mean = 0, deviation = 0;
};

Spread spread_of(const PeerRow& row, unsigned seeds)
{
    double sum = 0, squares = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        const double error = simulate(row, seed).rms;
        sum += error;
        squares += error * error;
    }
    const double mean = sum / seeds;
    const double variance = seeds < 2 ? 0 : (squares - sum * mean) / (seeds - 1);
    return {mean, std::sqrt(variance > 0 ? variance : 0)};
}

} // namespace

int main(int count, char** arguments)
{
    const std::string path = count > 1 ? arguments[1] : LEVEE_CROSSBAR_PEERS_DEFAULT;
    const unsigned seeds = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 8;
    const std::vector<PeerRow> rows = read_peer_rows(path);
    if (rows.empty()) {
        std::printf("no figures at %s\n", path.c_str());
        return 1;
    }
    std::printf("%-12s %-12s %-10s %-10s  parameters\n", "peer", "ours", "peer's sd", "our sd");
    const auto begun = std::chrono::steady_clock::now();
    unsigned products = 0;
    for (const PeerRow& row : rows) {
        const unsigned used = is_noisy(row) ? seeds : 1;
        const Spread ours = spread_of(row, used);
        products += used * PeerData::vectors;
        std::printf("%-12s %-12.6g %-10s %-10.3g  %s\n", row.at("rms_error_mean").c_str(),
                    ours.mean, row.at("rms_error_std").c_str(), ours.deviation,
                    row.at("parameters").c_str());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("%zu rows; %.0f products of 128 x 128 a second\n", rows.size(),
                products / took.count());
    return 0;
}
