// SPDX-License-Identifier: Apache-2.0
/// Compresses the keys and values in a reference's cache as policy cpq does: prunes, quantises and
/// expands them. The scenario gets the same parameters.
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/cpq/model.hpp"
#include "test/reference/transformer_parts.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace levee::test {

/// Parameters of a compression policy, for both the scenario and the reference.
struct Compression {
    unsigned key_bits = 4, value_bits = 3, max_levels = 8;
    float tolerance = 0;
    std::vector<float> key_threshold{0.5f}, value_threshold{0.125f};
};

inline std::string list_of(const std::vector<float>& numbers)
{
    std::string text;
    for (const float number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return numbers.size() == 1 ? text : "[" + text + "]";
}

inline std::string yaml(const Compression& cpq)
{
    return ", cpq: {key_bits: " + std::to_string(cpq.key_bits) +
           ", value_bits: " + std::to_string(cpq.value_bits) +
           ", max_levels: " + std::to_string(cpq.max_levels) +
           ", tolerance: " + std::to_string(cpq.tolerance) +
           ", key_threshold: " + list_of(cpq.key_threshold) +
           ", value_threshold: " + list_of(cpq.value_threshold) + "}";
}

inline const std::string cpq_block =
    "    cpq: {type: cpq, clock: 200 MHz, width: 32, prune_cycles: 2, quantise_cycles: 3, "
    "dequantise_cycles: 2, level_cycles: 36, sz_buffer: 1 MiB}\n";

/// Keys or values of one sequence: a compression table for each layer, and the number of compressed
/// rows.
class Compressed {
public:
    Compressed(const Compression& cpq, unsigned bits, const std::vector<float>& thresholds)
        : cpq_(cpq), bits_(bits), thresholds_(thresholds)
    {
    }

    cpq::Counts counts;

    /// Compresses and expands the new rows, provided that no row has been evicted. The rows of the
    /// first call open level 0.
    void take(std::uint32_t layer, std::span<CacheSlice> heads)
    {
        const std::size_t tokens = heads[0].scales.size();
        std::vector<std::uint32_t> slots(tokens - done_[layer]);
        std::iota(slots.begin(), slots.end(), static_cast<std::uint32_t>(done_[layer]));
        done_[layer] = tokens;
        take(layer, heads, slots);
    }
    /// Compresses and expands the rows in these slots.
    void take(std::uint32_t layer, std::span<CacheSlice> heads,
              std::span<const std::uint32_t> slots)
    {
        const std::size_t dim = heads[0].codes.size() / heads[0].scales.size();
        const float threshold = thresholds_[thresholds_.size() == 1 ? 0 : layer];
        auto [at, is_new] = tables_.try_emplace(
            layer,
            cpq::Table(dim * heads.size(), {bits_, cpq_.max_levels, threshold, cpq_.tolerance}));
        cpq::Table& table = at->second;
        std::vector<std::vector<float>> rows;
        for (const std::uint32_t slot : slots)
            rows.push_back(row_of(heads, slot, dim));
        if (is_new) {
            std::vector<float> all;
            for (const auto& row : rows)
                all.insert(all.end(), row.begin(), row.end());
            table.open(all);
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            put_back(table, rows[i], heads, slots[i]);
    }

private:
    static std::vector<float> row_of(std::span<const CacheSlice> heads, std::size_t token,
                                     std::size_t dim)
    {
        std::vector<float> row;
        for (const CacheSlice& head : heads)
            for (std::size_t i = 0; i < dim; ++i)
                row.push_back(static_cast<float>(head.codes[token * dim + i]) * head.scales[token]);
        return row;
    }
    void put_back(cpq::Table& table, const std::vector<float>& row, std::span<CacheSlice> heads,
                  std::uint32_t slot)
    {
        const std::size_t dim = row.size() / heads.size();
        std::vector<float> expanded(row.size());
        REQUIRE(table.expand(table.compress(row, counts), expanded));
        for (std::size_t head = 0; head < heads.size(); ++head) {
            QuantisedVector vector;
            vector.codes.resize(dim);
            vector.scale =
                quantise_int16(std::span(expanded).subspan(head * dim, dim), vector.codes);
            heads[head].put(slot, vector);
        }
    }

    const Compression& cpq_;
    unsigned bits_;
    const std::vector<float>& thresholds_;
    std::map<std::uint32_t, cpq::Table> tables_; // Tables by layer.
    std::map<std::uint32_t, std::size_t> done_;
};

} // namespace levee::test
