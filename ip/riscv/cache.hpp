// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/config.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::riscv {

/// A set-associative cache: tags, states and its own copies of the bytes. It has no notion of time
/// or bus; its user moves the bytes.
///
/// Replacement is first in, first out: a fill takes the lowest empty way of the set, otherwise the
/// ways in turn. A hit changes only the bytes.
class Cache {
public:
    struct Line {
        std::uint32_t address = 0; ///< address of its first byte, while valid
        bool valid = false;
        bool dirty = false; ///< written since it was filled or written back
        bool used = false;  ///< it has been filled since everything was invalidated
        /// Another master has written other bytes to its memory since (Hart::mark_outdated).
        bool outdated = false;
        std::uint64_t filled_at = 0; ///< cycle
        std::uint8_t* data = nullptr;
    };

    /// The configuration must be valid (see validate).
    explicit Cache(const CacheConfig& config);
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    [[nodiscard]] std::uint32_t line_bytes() const { return line_bytes_; }
    [[nodiscard]] std::uint32_t line_address(std::uint32_t address) const
    {
        return address & ~(line_bytes_ - 1);
    }
    /// The valid line that holds this address, or null.
    [[nodiscard]] Line* find(std::uint32_t address);
    /// Takes the way for a fill of this address and returns the line that it replaces; the next
    /// fill of the set takes another way. The caller writes the line's old bytes back if they are
    /// dirty, and calls filled().
    [[nodiscard]] Line& replace(std::uint32_t address);
    /// The line holds the bytes at this address now.
    void filled(Line& line, std::uint32_t address);
    void set_dirty(Line& line, bool dirty);
    /// The line's bytes are lost.
    void invalidate(Line& line);
    void invalidate_all();

    [[nodiscard]] bool has_dirty() const { return dirty_ != 0; }
    /// All lines that may be valid, in the order of their first fill.
    [[nodiscard]] std::span<Line* const> used_lines() const { return used_; }
    [[nodiscard]] std::span<std::uint8_t> bytes(const Line& line) const
    {
        return {line.data, line_bytes_};
    }

private:
    [[nodiscard]] std::uint32_t set_of(std::uint32_t address) const
    {
        return address / line_bytes_ & (sets_ - 1);
    }

    std::uint32_t line_bytes_;
    std::uint32_t ways_;
    std::uint32_t sets_;
    std::vector<std::uint8_t> data_;
    std::vector<Line> lines_;         ///< ways of set 0, ways of set 1, ...
    std::vector<std::uint32_t> next_; ///< Way to be replaced next, by set.
    std::vector<Line*> used_;
    std::uint32_t dirty_ = 0; ///< lines
};

/// The lines of a data cache that loads or stores may use without asking it, by line number.
class LineTable {
public:
    explicit LineTable(std::uint32_t line_bytes);

    /// The bytes at `address` if the table has their line; otherwise null.
    [[nodiscard]] std::uint8_t* find(std::uint32_t address) const
    {
        const std::uint32_t number = address >> shift_;
        const Entry& entry = entries_[number % size];
        return entry.number == number ? entry.data + (address & offset_mask_) : nullptr;
    }
    void add(const Cache::Line& line)
    {
        const std::uint32_t number = line.address >> shift_;
        entries_[number % size] = {number, line.data};
    }
    void remove(const Cache::Line& line)
    {
        Entry& entry = entries_[(line.address >> shift_) % size];
        if (entry.number == line.address >> shift_)
            entry.number = none;
    }

private:
    static constexpr std::uint32_t size = 1024;
    static constexpr std::uint32_t none = UINT32_MAX; ///< a value that is not the number of any
                                                      ///< line, since lines have at least 8 bytes
    struct Entry {
        std::uint32_t number = none;
        std::uint8_t* data = nullptr;
    };
    std::uint32_t shift_;
    std::uint32_t offset_mask_;
    std::vector<Entry> entries_;
};

} // namespace levee::riscv
