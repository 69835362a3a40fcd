// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/lockstep.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace levee::cosim {

/// What an operation has shown.
struct Outcome {
    std::uint64_t cycles = 0;
    std::uint64_t comparisons = 0;
    std::optional<Difference> value; ///< the first of its kind
    std::optional<Difference> cycle; ///< values may still be right
};

/// A design and its reference side by side, without SystemC: what `levee cosim` needs of a block.
/// Operation i of a seed is always the same, whatever was run before it.
class Bench {
public:
    virtual ~Bench() = default;

    /// Draws operation `index`, runs it on both and compares. `compare_cycles`: or values only.
    virtual Outcome run(std::uint64_t index, bool compare_cycles) = 0;
    /// Operation `index` in words.
    [[nodiscard]] virtual std::string describe(std::uint64_t index) const = 0;

    virtual void trace(const std::filesystem::path& fst) = 0; ///< from here on; empty: no more
    [[nodiscard]] virtual std::uint64_t failed_assertions() const = 0;
    /// How often each of the design's cover points was hit.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> coverage() const = 0;
};

/// A design that `levee cosim NAME` finds.
struct Target {
    std::string name;
    std::string text; ///< what it is
    std::function<std::unique_ptr<Bench>(std::uint32_t seed)> make;
};

/// All, one file for each block and one line in registry.cpp.
[[nodiscard]] std::span<const Target> targets();

/// Random numbers of one operation.
class Draw {
public:
    Draw(std::uint32_t seed, std::uint64_t operation);
    [[nodiscard]] std::uint32_t word();
    /// 0 to count - 1.
    [[nodiscard]] std::uint32_t below(std::uint32_t count) { return word() % count; }
    [[nodiscard]] bool one_in(std::uint32_t count) { return below(count) == 0; }

private:
    std::uint32_t seed_;
    std::uint32_t stream_;
    std::uint64_t index_ = 0;
};

/// Lets channels move now and then: bit i of next() with a probability of its own.
class RandomGates {
public:
    /// Of `channels` of at most 8.
    RandomGates(std::uint32_t seed, unsigned channels);
    [[nodiscard]] unsigned next();

private:
    std::uint32_t state_;
    unsigned channels_;
    std::uint32_t threshold_[8] = {}; ///< of 256; 256: always
    unsigned held_ = 0;               ///< a channel that stands still for a while
    unsigned hold_cycles_ = 0;
};

} // namespace levee::cosim
