// SPDX-License-Identifier: Apache-2.0
// Transposes matrices of heads for latent attention, independent of the file's format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace levee {

/// The first `rows` rows of the `of_head` rows that are stored for each head. Each row has `cols`
/// values, and the transposed head has `cols` rows.
struct HeadRows {
    std::uint32_t of_head, rows, cols;
};

/// Reads rows in the image's order from stored rows, one head at a time.
class TransposedHeads {
public:
    /// Reads whole stored rows from `row` on.
    using ReadRows = std::function<void(std::uint64_t row, std::span<float> out)>;

    TransposedHeads(const HeadRows& heads, ReadRows read)
        : heads_(heads), read_(std::move(read)), block_(std::size_t{heads.rows} * heads.cols)
    {
    }

    /// Reads whole rows, beginning with row `first`.
    void read(std::uint64_t first, std::span<float> out);

private:
    void load(std::uint64_t head);

    HeadRows heads_;
    ReadRows read_;
    std::vector<float> block_; ///< the block of the head head_
    std::optional<std::uint64_t> head_;
};

} // namespace levee
