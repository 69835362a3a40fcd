// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/decisions.hpp"
#include "core/command/fetched_descriptor.hpp"
#include "core/command/memory_access.hpp"

#include <cstdint>

namespace levee {

/// A block's data-dependent decisions: each is carried out and recorded, or replayed from a
/// recording of the same operations.
class DecisionLog {
public:
    /// `name` is the name of the block in recordings.
    DecisionLog(const char* name, const Decisions& decisions, MemoryAccess& access,
                const FetchedDescriptor& descriptor)
        : name_(name), decisions_(decisions), access_(access), descriptor_(descriptor)
    {
    }

    [[nodiscard]] const Decisions& decisions() const { return decisions_; }
    /// Performs and records this operation's decision. For commits.
    void decide(Decision decision);
    /// Recorded decision of this operation, if its time depends on it. Throws std::runtime_error if
    /// there is none, or if the recorded operation differs.
    [[nodiscard]] const Decision& recorded() const;
    /// Replays the recorded decision of iterations [first, last) of this operation. For commits.
    /// Throws std::runtime_error if the recorded operation is a different one.
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
    std::uint64_t operations_ = 0; // operations that have ended
};

} // namespace levee
