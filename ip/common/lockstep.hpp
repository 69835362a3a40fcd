// SPDX-License-Identifier: Apache-2.0
// What comparing a design with its reference leaves behind, whatever the block.
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

/// A pin's value in messages: "0x" and so many digits.
[[nodiscard]] inline std::string hex(std::uint32_t value, int digits)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%0*x", digits, value);
    return text;
}

/// The first place where a design does not do what its reference does.
struct Difference {
    enum class Kind {
        Value, ///< other bits
        Cycle, ///< the right bits at the wrong time, or none at all
        Rule   ///< an assertion in the design failed
    };
    Kind kind = Kind::Value;
    std::string signal;      ///< of the design's boundary
    std::string where;       ///< "row 5 of tile 1 (index 37)"; may be empty
    std::uint64_t cycle = 0; ///< of the operation, from 0
    std::string expected, got;
};

/// Lines "  name  value" for people.
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

/// Thrown when a block in lockstep differs from its reference.
class LockstepDifference : public std::runtime_error {
public:
    /// Runs what led to the difference once more and writes waves that end there. Throws
    /// std::runtime_error if the file cannot be written; false: from reset it does not happen
    /// again.
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

/// How a block uses its design.
enum class RtlMode {
    Rtl,     ///< the design's results count
    Lockstep ///< and must be the reference's, in the cycles of the block's Boundary
};

/// What a block that runs RTL reports to the platform.
class RtlStatus {
public:
    virtual ~RtlStatus() = default;
    /// Clocked so far.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const = 0;
    /// Whether it is compared with its reference, and how often it has been.
    [[nodiscard]] virtual bool in_lockstep() const = 0;
    [[nodiscard]] virtual std::uint64_t comparisons() const = 0;
    /// What ended the run: SystemC keeps only the text of what is thrown in a process.
    [[nodiscard]] virtual const std::optional<LockstepDifference>& failure() const = 0;
    /// At the end of a run: what the design still has to say, or nothing.
    [[nodiscard]] virtual std::optional<Difference> outstanding() = 0;
};

} // namespace levee
