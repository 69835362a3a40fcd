// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/config.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::riscv {

/// A set-associative cache: tags, states and copies of the bytes. This class does not model time or
/// the bus; the caller moves the bytes.
///
/// Replacement is first in, first out. A fill takes the lowest empty way of the set; if there is
/// none, the ways take turns. A hit does not change the order.
class Cache {
public:
    struct Line {
        std::uint32_t address = 0; ///< Address of the first byte, while valid.
        bool valid = false;
        bool dirty = false; ///< Written since it was filled or written back.
        bool used = false;  ///< Filled at least once since invalidate_all().
        /// After the fill, another master has written different bytes to memory
        /// (Hart::mark_outdated).
        bool outdated = false;
        std::uint64_t filled_at = 0; ///< Cycle in which the line was filled.
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
    /// Returns the valid line that contains this address, or null.
    [[nodiscard]] Line* find(std::uint32_t address);
    /// Chooses a way for a fill of this address and returns its line; the next fill of the set
    /// takes another way. The caller writes the old bytes back if they are dirty, then calls
    /// filled().
    [[nodiscard]] Line& replace(std::uint32_t address);
    /// Makes the line valid for this address. Call it when its bytes have been filled.
    void filled(Line& line, std::uint32_t address);
    void set_dirty(Line& line, bool dirty);
    /// Discards the line without writing it back, even if it is dirty.
    void invalidate(Line& line);
    void invalidate_all();

    [[nodiscard]] bool has_dirty() const { return dirty_ != 0; }
    /// Returns all lines that may be valid, in the order of their first fill.
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
    std::vector<Line> lines_;         ///< Ways of set 0, then ways of set 1, ...
    std::vector<std::uint32_t> next_; ///< The way to be replaced next, by set.
    std::vector<Line*> used_;
    std::uint32_t dirty_ = 0; ///< Number of dirty lines.
};

/// Shortcut for loads and stores: the data cache lines that they may access directly, by line
/// number.
class LineTable {
public:
    explicit LineTable(std::uint32_t line_bytes);

    /// Returns a pointer to the bytes at `address` if the table contains their line; otherwise
    /// null.
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
    static constexpr std::uint32_t none = UINT32_MAX; ///< No line has this number, because lines
                                                      ///< have at least 8 bytes.
    struct Entry {
        std::uint32_t number = none;
        std::uint8_t* data = nullptr;
    };
    std::uint32_t shift_;
    std::uint32_t offset_mask_;
    std::vector<Entry> entries_;
};

} // namespace levee::riscv
