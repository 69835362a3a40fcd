// Host time of an eDRAM's bookkeeping beside that of moving the bytes: the KV cache of a decode
// step read in full, one token written, with retention off, with cells that never fail at the
// interval, and with 2e-3 of them failing.
#include "ip/edram/array.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

using namespace levee::edram;

namespace {

constexpr Time us = 1'000'000;
constexpr std::uint64_t size = 1 << 20, token = 256;

double nanoseconds_per_unit(const std::optional<RetentionConfig>& retention,
                            const GroupTimes& intervals)
{
    const Geometry geometry{Layout::Kv, size, 32};
    std::vector<std::uint8_t> bytes(size + Array::score_count(geometry), 0);
    std::vector<std::uint8_t> packed(size);
    Array array({geometry, {intervals, 4'000, 0}, retention}, {1, 1}, bytes.data());
    array.write(0, size, 0);
    constexpr int steps = 300;
    const auto begun = std::chrono::steady_clock::now();
    for (int step = 1; step <= steps; ++step) {
        const Time now = static_cast<Time>(step) * 20 * us;
        array.write(static_cast<std::uint64_t>(step) * token % size, token, now);
        array.read(0, size, now);
        std::memcpy(packed.data(), bytes.data(), size);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begun;
    return took.count() / steps / (size / unit_bytes);
}

} // namespace

int main()
{
    RetentionConfig retention;
    retention.curve = {{45 * us, 1e-6},     {360 * us, 5.2e-5},  {1440 * us, 4.9e-4},
                       {5400 * us, 3.1e-3}, {7200 * us, 4.4e-3}, {100'000 * us, 0.03}};
    const GroupTimes often{45 * us, 45 * us, 45 * us, 45 * us};
    const GroupTimes seldom{360 * us, 5400 * us, 1440 * us, 7200 * us};
    std::printf("ns per 32 bytes read\n");
    std::printf("no retention     %.2f\n", nanoseconds_per_unit(std::nullopt, often));
    std::printf("nothing fails    %.2f\n", nanoseconds_per_unit(retention, often));
    std::printf("2DRP's failures  %.2f\n", nanoseconds_per_unit(retention, seldom));
}
