// SPDX-License-Identifier: Apache-2.0
// A core's state of a sequence's compressed keys and values, besides the packed rows in memory: its
// pruning, quantisation and dequantisation units and its scale-zero buffer. Free of SystemC.
#pragma once

#include "ip/cim/layer.hpp"
#include "ip/cim/units.hpp"
#include "ip/cpq/model.hpp"
#include "ip/cpq/rows.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::cim {

/// Keys, or values, of one sequence in one layer.
class CompressedRows {
public:
    using Packed = std::vector<std::uint8_t>;

    /// Compresses a prompt's rows, [token][channel], `channels` numbers each, and replaces
    /// everything earlier. Throws std::invalid_argument for invalid settings.
    std::vector<Packed> open(std::size_t channels, const cpq::Settings& settings,
                             std::span<const float> rows);
    /// Row number `tokens()`.
    [[nodiscard]] Packed add(std::span<const float> row, float threshold);
    /// The same for runs without data: `begin` starts a prompt; `note` adds row number `tokens()`.
    void begin(std::size_t channels, const cpq::Settings& settings);
    void note(const levee_cpq_record& record);
    /// A row's numbers; false if it is not one of this table.
    [[nodiscard]] bool expand(std::span<const std::uint8_t> packed, std::span<float> row) const
    {
        return table_ && table_->expand(packed, row);
    }

    /// Whether its prompt's rows had this many channels and, except for the threshold, these
    /// settings.
    [[nodiscard]] bool is_of(std::size_t channels, const cpq::Settings& settings) const;
    [[nodiscard]] std::size_t tokens() const { return records_.size(); }
    /// The record of a row.
    [[nodiscard]] const levee_cpq_record& record(std::size_t token) const
    {
        return records_[token];
    }
    /// Bytes of a packed row, and of the first `count` of them.
    [[nodiscard]] std::uint32_t bytes(std::size_t token) const { return records_[token].bytes; }
    [[nodiscard]] std::uint64_t bytes_of(std::size_t count) const;
    /// Forgets rows from `tokens` on.
    void truncate(std::size_t tokens) { records_.resize(tokens); }
    [[nodiscard]] unsigned bits() const { return settings_.bits; } ///< bits of a code
    [[nodiscard]] unsigned levels() const
    {
        return levels_;
    } ///< largest number of levels of any channel
    [[nodiscard]] const cpq::Counts& counts() const
    {
        return counts_;
    } ///< counts of all rows so far
    [[nodiscard]] std::uint64_t values() const
    {
        return values_;
    } ///< Number of values, counted in
      ///< the same way.

private:
    Packed compress(std::span<const float> row);

    std::optional<cpq::Table> table_;
    std::vector<levee_cpq_record> records_;
    cpq::Counts counts_;
    std::uint64_t values_ = 0;
    std::size_t channels_ = 0;
    cpq::Settings settings_;
    unsigned levels_ = 0;
};

/// Keys and values of one sequence in one layer.
using CompressedPair = std::array<CompressedRows, 2>;

/// Shares over all rows compressed so far.
[[nodiscard]] Compression measured(const CompressedPair& pair);

/// Rows [token][head][head_dim] of the slots [first, first + count) of a cache of `heads`.
[[nodiscard]] std::vector<float> rows_of(const Cached& cached, std::size_t heads, std::size_t first,
                                         std::size_t count);
/// Puts a row into a slot, as INT16 vectors.
void put_row(Cached& cached, std::size_t heads, std::size_t slot, std::span<const float> row);

} // namespace levee::cim
