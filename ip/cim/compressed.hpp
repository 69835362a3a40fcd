// SPDX-License-Identifier: Apache-2.0
// Compressed keys and values of a sequence in a core: the state of its pruning, quantisation and
// dequantisation units and of its scale-zero buffer. The packed rows are in memory. Free of
// SystemC.
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

/// Keys or values of one sequence in one layer.
class CompressedRows {
public:
    using Packed = std::vector<std::uint8_t>;

    /// Compresses a prompt's rows, [token][channel] with `channels` channels, and discards all
    /// earlier rows. Throws std::invalid_argument for invalid settings.
    std::vector<Packed> open(std::size_t channels, const cpq::Settings& settings,
                             std::span<const float> rows);
    /// Compresses the row that follows the last one, and adds it.
    [[nodiscard]] Packed add(std::span<const float> row, float threshold);
    /// For runs without data: begin() starts a prompt, and note() adds the record of the next row.
    void begin(std::size_t channels, const cpq::Settings& settings);
    void note(const levee_cpq_record& record);
    /// Decompresses a row. Returns false if the bytes are not a row of this table.
    [[nodiscard]] bool expand(std::span<const std::uint8_t> packed, std::span<float> row) const
    {
        return table_ && table_->expand(packed, row);
    }

    /// Whether the prompt was compressed with this number of channels and with these settings,
    /// except the threshold.
    [[nodiscard]] bool is_of(std::size_t channels, const cpq::Settings& settings) const;
    [[nodiscard]] std::size_t tokens() const { return records_.size(); }
    [[nodiscard]] const levee_cpq_record& record(std::size_t token) const
    {
        return records_[token];
    }
    /// Bytes of one packed row, and of the first `count` rows.
    [[nodiscard]] std::uint32_t bytes(std::size_t token) const { return records_[token].bytes; }
    [[nodiscard]] std::uint64_t bytes_of(std::size_t count) const;
    /// Discards rows from `tokens` on.
    void truncate(std::size_t tokens) { records_.resize(tokens); }
    [[nodiscard]] unsigned bits() const { return settings_.bits; } ///< Bits of a code.
    /// Largest number of levels of any channel.
    [[nodiscard]] unsigned levels() const { return levels_; }
    /// Counts over all rows so far.
    [[nodiscard]] const cpq::Counts& counts() const { return counts_; }
    /// Number of values in all rows so far.
    [[nodiscard]] std::uint64_t values() const { return values_; }

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

/// Sparsity and bits measured over all rows so far.
[[nodiscard]] Compression measured(const CompressedPair& pair);

/// Returns rows [token][head][head_dim] from slots [first, first + count) of a cache with `heads`
/// heads.
[[nodiscard]] std::vector<float> rows_of(const Cached& cached, std::size_t heads, std::size_t first,
                                         std::size_t count);
/// Stores a row in a slot, as INT16 vectors.
void put_row(Cached& cached, std::size_t heads, std::size_t slot, std::span<const float> row);

} // namespace levee::cim
