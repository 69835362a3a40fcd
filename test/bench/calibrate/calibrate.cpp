// SPDX-License-Identifier: Apache-2.0
#include "test/bench/calibrate/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>

namespace levee::bench {
namespace {

std::uint64_t steps(std::uint64_t state, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

} // namespace

double cpu_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double calibrate()
{
    constexpr std::uint64_t count = 50'000'000;
    std::array<double, 5> rates{};
    volatile std::uint64_t seed = 88172645463325252u;
    for (double& rate : rates) {
        const double start = cpu_seconds();
        seed = steps(seed, count);
        rate = 1e-6 * static_cast<double>(count) / (cpu_seconds() - start);
    }
    std::sort(rates.begin(), rates.end());
    return rates[2];
}

} // namespace levee::bench
