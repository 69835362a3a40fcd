// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cam/model.hpp"

#include <bitset>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace levee::cam {

/// The arrays of a memory, all of the same size. Proxies wider than `columns` use several arrays in
/// parallel.
struct Arrays {
    std::uint32_t rows = 0;    ///< Match lines of an array.
    std::uint32_t columns = 0; ///< Cells of a match line.
    std::uint32_t count = 0;

    /// Number of arrays that a proxy with this many cells uses in parallel.
    [[nodiscard]] std::uint32_t side_by_side(std::uint32_t cells) const
    {
        return (cells + columns - 1) / columns;
    }
    /// Number of rows of the memory for proxies with this many cells.
    [[nodiscard]] std::uint64_t total_rows(std::uint32_t cells) const
    {
        return std::uint64_t{count / side_by_side(cells)} * rows;
    }
};

/// Contents of the arrays: proxies of one format, or none.
class Proxies {
public:
    explicit Proxies(const Arrays& arrays) : arrays_(arrays) {}

    [[nodiscard]] const Arrays& arrays() const { return arrays_; }
    /// Number of rows for proxies of this format.
    [[nodiscard]] std::uint64_t rows_for(const Format& format) const
    {
        return arrays_.total_rows(cells(format));
    }
    /// Empties the memory if it holds proxies of another format.
    void accept(const Format& format);
    /// Whether rows [first, first + count) hold proxies of this format.
    [[nodiscard]] bool holds(const Format& format, std::uint64_t first, std::uint64_t count) const;
    /// Marks a row as written. proxy() returns the row's cells, for the caller to fill in;
    /// timing-only runs only mark rows.
    void mark(std::uint64_t row) { chunks_[row / chunk_rows].written[row % chunk_rows] = true; }
    [[nodiscard]] std::span<std::uint8_t> proxy(std::uint64_t row);
    /// Number of rows for which the host has allocated memory.
    [[nodiscard]] std::uint64_t host_rows() const { return chunks_.size() * chunk_rows; }

private:
    static constexpr std::uint64_t chunk_rows = 1024;
    struct Chunk {
        std::bitset<chunk_rows> written;
        std::vector<std::uint8_t> levels; ///< Row by row; empty in timing-only runs.
    };

    Arrays arrays_;
    Format format_;
    std::unordered_map<std::uint64_t, Chunk> chunks_; ///< Chunks in which a row was written.
};

} // namespace levee::cam
