// SPDX-License-Identifier: Apache-2.0
// Measures the host time of an eDRAM's bookkeeping, in two parts. 1. Relative
// to moving the bytes: a decode step reads the whole KV cache and writes one
// token. Retention is off, or cells never fail within the interval, or 2e-3 of
// them fail. 2. Without bytes: activations written and discarded, rows
// scattered over resident slices, and streams priced as rows become valid and
// invalid.
#include "ip/edram/array.hpp"
#include "ip/edram/side.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

using namespace levee;
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
    Array array({geometry, {intervals, 4'000}, retention}, {1, 1}, bytes.data());
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

/// Kelle's KV memory of 4 MiB with its four refresh intervals.
struct Kv {
    Geometry geometry{Layout::Kv, 4 << 20, 32};
    std::vector<std::uint8_t> bytes;
    Array array;

    explicit Kv(const std::optional<RetentionConfig>& retention)
        : bytes(geometry.size_bytes + Array::score_count(geometry), 0),
          array({geometry, {{360 * us, 5400 * us, 1440 * us, 7200 * us}, 4'000}, retention}, {1, 1},
                bytes.data())
    {
    }
};

/// Each call of `once(i)` does the measured work and returns the simulated time of that work. The
/// time increases from call to call.
template <typename Once> double microseconds_each(int times, Once once)
{
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 1; i <= times; ++i)
        once(i);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begun;
    return took.count() / times;
}

double activations(const std::optional<RetentionConfig>& retention)
{
    Kv kv(retention);
    constexpr std::uint64_t count = 256 * 1024;
    return microseconds_each(2000, [&](int i) {
        const Time now = static_cast<Time>(i) * 20 * us;
        kv.array.write(count, count, now);
        kv.array.discard(count, count, now + 10 * us);
    });
}

/// Accesses 512 rows of 256 bytes, each in a different slice.
double scattered()
{
    Kv kv(std::nullopt);
    return microseconds_each(2000, [&](int i) {
        for (std::uint64_t row = 0; row < 512; ++row)
            kv.array.write(row * 4096 + static_cast<std::uint64_t>(i) % 16 * token, token,
                           static_cast<Time>(i) * 20 * us);
    });
}

/// Prices a stream at a new address each time, after a vector was written and another discarded.
double streams()
{
    Kv kv(std::nullopt);
    kv.array.write(0, 2 << 20, 0);
    Side side(kv.geometry, 0, 2'000, kv.array.refresh(), "kv");
    return microseconds_each(20'000, [&](int i) {
        const Time now = static_cast<Time>(i) * 40 * us;
        const std::uint64_t at = (2 << 20) + static_cast<std::uint64_t>(i) * token % (2 << 20);
        kv.array.write(at, token, now);
        kv.array.discard(at, token, now + 1);
        const AccessPattern pattern{static_cast<std::uint64_t>(i) * 256 % (1 << 20),
                                    256,
                                    {16, 4, 1},
                                    {4096, 65'536, 0},
                                    false};
        const FlowUse use{&side, Direction::Read, pattern, pattern.bytes()};
        const FlowUse* const mix[] = {&use};
        const StreamDemand demand[] = {{1e9}};
        double price[1];
        side.price(mix, demand, price);
    });
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
    std::printf("us, without bytes\n");
    std::printf("256 KiB written and discarded                %.2f\n", activations(std::nullopt));
    std::printf("the same with retention                      %.2f\n", activations(retention));
    std::printf("512 rows of 256 bytes written                %.2f\n", scattered());
    std::printf("a vector comes and goes, a stream is priced   %.2f\n", streams());
}
