// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/known_regions.hpp"
#include "core/command/operation.hpp"
#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "core/memory/row_list.hpp"
#include "core/units/data_mode.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace levee {

/// A block's reads and writes of memory, in zero time.
///
/// If an access is outside memory, functions with the parameter `field` throw
/// CommandFault(LEVEE_ERROR_ADDRESS) for that descriptor field. Functions without `field` are for
/// accesses that have been checked.
///
/// `read` and `write` are for payload. In timing-only runs (core/units/data_mode.hpp) `packed` must
/// be null, and only memories that track their rows receive the access. read_control() and
/// write_control() move words that state positions and counts, in every kind of run.
class MemoryAccess {
public:
    InitiatorSocket memory; ///< Descriptors and operands.

    /// `name` is the block's name, for messages.
    MemoryAccess(const char* name, DataMode data);

    [[nodiscard]] bool timing_only() const { return data_ == DataMode::TimingOnly; }
    /// Whether the memory at `address` tracks accesses. If not, timing-only runs may omit single
    /// accesses.
    [[nodiscard]] bool tracks(std::uint64_t address);
    /// Whether the memory at `address` tracks reads, or writes, as `direction` states.
    [[nodiscard]] bool tracks(Direction direction, std::uint64_t address);

    void read(const AccessPattern& pattern, void* packed, std::uint32_t field);
    void write(const AccessPattern& pattern, const void* packed);
    void read_control(const AccessPattern& pattern, void* packed, std::uint32_t field);
    void write_control(const AccessPattern& pattern, const void* packed);
    [[nodiscard]] std::uint32_t read_word(std::uint64_t address, std::uint32_t field);
    /// Read and write a list of rows; `packed` holds all rows of the list.
    void read_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field);
    void write_rows(const RowList& rows, std::size_t first, std::size_t last,
                    const std::uint8_t* packed);
    void read_control_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field);
    void write_control_rows(const RowList& rows, std::size_t first, std::size_t last,
                            const std::uint8_t* packed);

    void check(Direction direction, const AccessPattern& pattern, std::uint32_t field);
    void check_write(const AccessPattern& pattern, std::uint32_t field)
    {
        check(Direction::Write, pattern, field);
    }
    /// Discards bytes in one memory: they will not be read until they are written again.
    void discard(const AccessPattern& pattern);

    /// Host address of bytes as the block would read them, if it has accessed their memory
    /// directly; otherwise null. For observers.
    [[nodiscard]] const std::uint8_t* peek(std::uint64_t address, std::uint64_t bytes) const;

    // Reads words in every kind of run, for the queue. Returns false if they are not in one memory.
    [[nodiscard]] bool fetch(const AccessPattern& pattern, void* packed);
    /// Adds a stream's uses, as BulkPort::open() does.
    void open(Direction direction, const AccessPattern& pattern, std::uint64_t bytes,
              Operation& operation, std::uint32_t field, std::span<const std::uint64_t> parts = {});
    void await_writes() { port_.await_writes(); }
    [[nodiscard]] std::uint32_t last_field() const { return field_; } ///< Field of the last access.

private:
    void check_payload(const void* packed) const;
    [[nodiscard]] bool account(Direction direction, const AccessPattern& pattern);
    [[nodiscard]] std::optional<KnownRegions::Direct> direct(Direction direction,
                                                             const AccessPattern& pattern);
    [[nodiscard]] const KnownRegions::Region* reachable(Direction direction, const RowList& rows);
    void move_in(const AccessPattern& pattern, void* packed, std::uint32_t field);
    void move_out(const AccessPattern& pattern, const void* packed);
    [[noreturn]] void fail(const char* what) const;

    const char* name_;
    DataMode data_;
    BulkPort port_;
    KnownRegions regions_;
    std::uint32_t field_ = 0;
};

} // namespace levee
