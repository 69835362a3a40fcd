// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decisions.hpp"
#include "core/command/fetched_descriptor.hpp"
#include "core/command/memory_access.hpp"

#include <cstdint>

namespace levee {

/// Data-dependent decisions of a block. A decision is either made and recorded, or replayed from a
/// recording of the same operations.
class DecisionLog {
public:
    /// `name` is the block's name in recordings.
    DecisionLog(const char* name, const Decisions& decisions, MemoryAccess& access,
                const FetchedDescriptor& descriptor)
        : name_(name), decisions_(decisions), access_(access), descriptor_(descriptor)
    {
    }

    [[nodiscard]] const Decisions& decisions() const { return decisions_; }
    /// Writes and records this operation's decision. Call it from commits.
    void decide(Decision decision);
    /// Returns the recorded decision of this operation, for operations whose time depends on it.
    /// Throws std::runtime_error if there is none, or if the recorded operation is a different one.
    [[nodiscard]] const Decision& recorded() const;
    /// Replays the recorded decision for iterations [first, last) of this operation. Call it from
    /// commits. Throws std::runtime_error if the recorded operation is a different one.
    void replay(std::uint32_t first, std::uint32_t last);

protected:
    void count_operation() { ++operations_; }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }

private:
    void carry_out(const Decision::Write& write);

    const char* name_;
    Decisions decisions_;
    MemoryAccess& access_;
    const FetchedDescriptor& descriptor_;
    std::uint64_t operations_ = 0; // Number of operations that have ended.
};

} // namespace levee
