// SPDX-License-Identifier: Apache-2.0
// Results of comparing a design with its reference, for every block.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace levee {

/// A pin's value in messages: "0x" and the given number of digits.
[[nodiscard]] inline std::string hex(std::uint32_t value, int digits)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%0*x", digits, value);
    return text;
}

/// First deviation of a design from its reference.
struct Difference {
    enum class Kind {
        Value, ///< wrong bits
        Cycle, ///< right bits in the wrong cycle, or missing
        Rule   ///< an assertion in the design failed
    };
    Kind kind = Kind::Value;
    std::string signal;      ///< of the design's boundary
    std::string where;       ///< "row 5 of tile 1 (index 37)"; may be empty
    std::uint64_t cycle = 0; ///< of the operation, from 0
    std::string expected, got;
};

/// Formats "  name  value" lines for the terminal.
[[nodiscard]] inline std::string describe(const Difference& difference)
{
    std::string text = "  cycle      " + std::to_string(difference.cycle) + " of it\n";
    if (!difference.where.empty())
        text += "  at         " + difference.where + "\n";
    text += "  signal     " + difference.signal + "\n";
    text += "  expected   " + difference.expected + "\n";
    text += "  got        " + difference.got + "\n";
    return text;
}

/// Thrown when a block in lockstep deviates from its reference.
class LockstepDifference : public std::runtime_error {
public:
    /// Repeats the work that led to the deviation and writes a waveform that ends there. Throws
    /// std::runtime_error if the file cannot be written; returns false if the deviation does not
    /// recur from reset.
    using Waves = std::function<bool(const std::filesystem::path& fst)>;

    LockstepDifference(std::string block_, Difference difference_, Waves waves_)
        : std::runtime_error(block_ + " differs from its reference:\n" + describe(difference_)),
          block(std::move(block_)), difference(std::move(difference_)), waves(std::move(waves_))
    {
    }

    std::string block; ///< its path
    Difference difference;
    Waves waves;
};

/// Use that a block makes of its design.
enum class RtlMode {
    Rtl,     ///< the design's results are used
    Lockstep ///< and must equal the reference's, in the cycles that the block's Boundary states
};

/// Status that a block with RTL reports to the platform.
class RtlStatus {
public:
    virtual ~RtlStatus() = default;
    /// Clock cycles simulated so far.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const = 0;
    /// Whether the design is compared with its reference, and the number of comparisons so far.
    [[nodiscard]] virtual bool in_lockstep() const = 0;
    [[nodiscard]] virtual std::uint64_t comparisons() const = 0;
    /// The deviation that ended the run, kept here since SystemC keeps only the text of exceptions
    /// thrown in a process.
    [[nodiscard]] virtual const std::optional<LockstepDifference>& failure() const = 0;
    /// Final check at the end of a run: an outstanding deviation, or nothing.
    [[nodiscard]] virtual std::optional<Difference> outstanding() = 0;
};

} // namespace levee
