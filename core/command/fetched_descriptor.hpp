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

/// The current descriptor: fetches it with its continuation, checks its head, and resolves its
/// indirect operands. All functions throw CommandFault.
class FetchedDescriptor {
public:
    /// `fetch` is the time per LEVEE_DESCRIPTOR_BYTES of a continuation.
    FetchedDescriptor(const Declaration& declaration, MemoryAccess& access,
                      const Submissions& submissions, const CommandObservers& observers,
                      Picoseconds fetch)
        : declaration_(declaration), access_(access), submissions_(submissions),
          observers_(observers), fetch_(fetch)
    {
    }

    /// Discards the previous descriptor.
    void clear();
    void fetch(std::uint64_t address);
    /// Checks the fields of the descriptor's head, which all blocks have in common.
    void check_head(const SyncCounters& sync) const;
    void apply_indirect();

    [[nodiscard]] const levee_descriptor& get() const { return descriptor_; }
    /// All bytes of the operation, including its continuation.
    [[nodiscard]] std::span<const std::uint8_t> operation() const
    {
        return whole_.empty() ? std::span<const std::uint8_t>(descriptor_.operation) : whole_;
    }
    /// Converts `field`, an offset from operation_field(), to the offset of the field in the
    /// descriptor's memory.
    [[nodiscard]] std::uint32_t field_in_memory(std::uint32_t field) const;
    [[nodiscard]] std::uint64_t hash() const; ///< Hash of opcode and operation.

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
    /// Version 2: the assembled operation, which begins with the part in descriptor_. Otherwise
    /// empty.
    std::vector<std::uint8_t> whole_;
};

} // namespace levee
