// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/command/command_observer.hpp"
#include "core/command/declaration.hpp"
#include "core/command/memory_access.hpp"
#include "core/command/submissions.hpp"
#include "core/command/sync_counters.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// The descriptor in execution: its fetch with a continuation, the check of its head, its indirect
/// operands. All throw CommandFault.
class FetchedDescriptor {
public:
    /// `fetch` is the time that a continuation takes for each LEVEE_DESCRIPTOR_BYTES.
    FetchedDescriptor(const Declaration& declaration, MemoryAccess& access,
                      const Submissions& submissions, const CommandObservers& observers,
                      Picoseconds fetch)
        : declaration_(declaration), access_(access), submissions_(submissions),
          observers_(observers), fetch_(fetch)
    {
    }

    /// Discards the descriptor of the last execution.
    void clear();
    void fetch(std::uint64_t address);
    /// Checks the parts that all blocks share.
    void check_head(const SyncCounters& sync) const;
    void apply_indirect();

    [[nodiscard]] const levee_descriptor& get() const { return descriptor_; }
    /// All bytes of the operation, including those of a continuation.
    [[nodiscard]] std::span<const std::uint8_t> operation() const
    {
        return whole_.empty() ? std::span<const std::uint8_t>(descriptor_.operation) : whole_;
    }
    /// Executors name a field by its offset in the operation, in every version.
    [[nodiscard]] std::uint32_t field_in_memory(std::uint32_t field) const;
    [[nodiscard]] std::uint64_t hash() const; ///< hash of opcode and operation

private:
    void fetch_continuation();
    void fetch_bytes(std::uint64_t address, std::span<std::uint8_t> bytes, CommandFault otherwise);
    [[nodiscard]] std::span<std::uint8_t> field_of_operation(std::size_t offset, std::size_t bytes);

    const Declaration& declaration_;
    MemoryAccess& access_;
    const Submissions& submissions_;
    const CommandObservers& observers_;
    Picoseconds fetch_;
    levee_descriptor descriptor_{};
    /// Version 2: the assembled operation, which begins in descriptor_; otherwise empty.
    std::vector<std::uint8_t> whole_;
};

} // namespace levee
