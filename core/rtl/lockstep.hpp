// SPDX-License-Identifier: Apache-2.0
// Results of a comparison of a design with its reference, for all blocks.
#pragma once

#include "core/units/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Value of a pin in messages: "0x" with `digits` digits.
[[nodiscard]] inline std::string hex(std::uint32_t value, int digits)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%0*x", digits, value);
    return text;
}

/// Position within a block's operation; -1: unknown or not applicable.
struct RtlPlace {
    std::int32_t entry = -1; ///< Index in the operation's outer loop.
    std::int32_t head = -1;  ///< Head of the entry.
    std::int32_t pass = -1;  ///< Number of passes since the operation began.
    std::int32_t tile = -1;  ///< Tile, vector, page, job or group within the pass.

    [[nodiscard]] static std::int32_t index(std::size_t value)
    {
        return static_cast<std::int32_t>(value);
    }
};

/// First deviation of a design from its reference.
struct Difference {
    enum class Kind {
        Value, ///< The bits are wrong.
        Cycle, ///< The bits are right but in the wrong cycle, or missing.
        Rule   ///< An assertion in the design failed.
    };
    Kind kind = Kind::Value;
    std::string signal;      ///< Signal of the design's boundary.
    std::string where;       ///< For example "row 5 of tile 1 (index 37)"; may be empty.
    std::uint64_t cycle = 0; ///< Cycle within the operation, from 0.
    std::string expected, got;
    RtlPlace place{};
};

/// Formats a difference as lines "  name  value" for the terminal.
[[nodiscard]] inline std::string describe(const Difference& difference)
{
    std::string text = "  cycle      " + std::to_string(difference.cycle) + " of the operation\n";
    const auto add = [&text](const char* name, std::int32_t index) {
        if (index >= 0)
            text += name + std::to_string(index) + "\n";
    };
    add("  entry      ", difference.place.entry);
    add("  head       ", difference.place.head);
    add("  tile       ", difference.place.tile);
    if (!difference.where.empty())
        text += "  at         " + difference.where + "\n";
    text += "  signal     " + difference.signal + "\n";
    text += "  expected   " + difference.expected + "\n";
    text += "  got        " + difference.got + "\n";
    return text;
}

/// Properties of the waveform file that shows a deviation.
struct RtlEvidence {
    bool recurs = false;       ///< The repeated run deviates again, at the end of the waveform.
    std::uint64_t from_ps = 0; ///< Time at which the file begins.
    std::size_t pieces = 0;    ///< Number of passes in the file.
    std::string cause;         ///< Lines about the state that led to the deviation; may be empty.
};

/// Thrown when a block in lockstep deviates from its reference.
class LockstepDifference : public std::runtime_error {
public:
    /// Repeats the work that led to the deviation, from a saved state of the design, and writes a
    /// waveform that ends at the deviation. Throws std::runtime_error if the file cannot be
    /// written.
    using Waves = std::function<RtlEvidence(const std::filesystem::path& fst)>;

    LockstepDifference(std::string block_, Difference difference_, Waves waves_)
        : std::runtime_error(block_ + " differs from its reference:\n" + describe(difference_)),
          block(std::move(block_)), difference(std::move(difference_)), waves(std::move(waves_))
    {
    }

    std::string block; ///< Path of the block.
    Difference difference;
    Waves waves;
};

/// How a block uses its design.
enum class RtlMode {
    Rtl,      ///< The design's results are used.
    Lockstep, ///< Like Rtl. Results are also compared with the reference, in the cycles that the
              ///< block's Boundary states.
    Cycle     ///< Clocked in simulated time. The reference's results are used, and the design's
              ///< results are compared with them, but not its cycles.
};

/// A descriptor that a block's queue executes.
struct RtlOperation {
    std::uint64_t descriptor = 0; ///< Number of the descriptor in its queue.
    std::uint32_t opcode = 0, tag = 0;
};

/// Services that a block's RTL uses during the run.
struct RtlRun {
    std::function<std::uint64_t()> now_ps;
    std::vector<std::string> opcodes{}; ///< Names of opcodes 0, 1, ...; empty for unused ones.
    // Requested waveform: file and interval of simulated time. Empty: none.
    std::filesystem::path fst{};
    std::uint64_t from_ps = 0, to_ps = UINT64_MAX;
};

/// Clocking of a design in simulated time.
struct RtlClocking {
    std::function<bool()> is_open;     ///< Returns whether data may move in the next cycle.
    std::function<void()> after_cycle; ///< Called after each cycle; may wait.
};

/// Interface between the platform and a block with RTL.
class RtlStatus {
public:
    virtual ~RtlStatus() = default;
    /// Called before the run.
    virtual void attach(RtlRun run) = 0;
    /// The block's queue starts this descriptor.
    virtual void begin_operation(const RtlOperation& operation) = 0;
    [[nodiscard]] virtual Clock clock() const = 0;
    /// Whether the design is clocked in simulated time (`impl: rtl_cycle`). run_deferred() then
    /// executes each operation.
    [[nodiscard]] virtual bool is_clocked_in_time() const { return false; }
    /// Runs the work of the current operation and returns the number of cycles. Throws
    /// LockstepDifference if results differ from those of the reference.
    virtual std::uint64_t run_deferred(const RtlClocking&) { return 0; }
    /// Completes the requested waveforms. Returns false if there are none.
    virtual bool finish_waves() = 0;
    /// Clock cycles simulated so far.
    [[nodiscard]] virtual std::uint64_t rtl_cycles() const = 0;
    /// Whether the design is compared with its reference; comparisons() returns the number of
    /// comparisons so far.
    [[nodiscard]] virtual bool in_lockstep() const = 0;
    [[nodiscard]] virtual std::uint64_t comparisons() const = 0;
    /// The deviation that ended the run. It is stored here because SystemC keeps only the text of
    /// exceptions thrown in a process.
    [[nodiscard]] virtual const std::optional<LockstepDifference>& failure() const = 0;
    /// Checks the design at the end of a run. Returns a deviation that has not been reported yet,
    /// or nothing.
    [[nodiscard]] virtual std::optional<Difference> outstanding() = 0;
};

} // namespace levee
