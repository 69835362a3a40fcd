// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>

namespace levee::flash::test {

/// Random numbers from a seed.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    /// Flips each bit with probability `rate`.
    void flip(std::span<std::uint8_t> bytes, double rate)
    {
        for (std::uint64_t at = skip(rate); at < bytes.size() * 8; at += 1 + skip(rate))
            bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1u << at % 8);
    }

private:
    /// Returns the number of bits up to the next one that flips.
    std::uint64_t skip(double rate)
    {
        return static_cast<std::uint64_t>(std::log(1 - unit()) / std::log1p(-rate));
    }
    std::mt19937_64 engine_;
};

} // namespace levee::flash::test
