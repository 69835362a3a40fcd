// SPDX-License-Identifier: Apache-2.0
// Matrices of heads that latent attention takes transposed, whatever file has them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace levee {

/// The first `rows` of each head's `of_head` stored rows (each `cols` wide), transposed to `cols`
/// rows.
struct HeadRows {
    std::uint32_t of_head, rows, cols;
};

/// Reads rows in the image's order, from stored rows one head at a time.
class TransposedHeads {
public:
    /// Whole stored rows from `row` on.
    using ReadRows = std::function<void(std::uint64_t row, std::span<float> out)>;

    TransposedHeads(const HeadRows& heads, ReadRows read)
        : heads_(heads), read_(std::move(read)), block_(std::size_t{heads.rows} * heads.cols)
    {
    }

    /// Whole rows from `first` on.
    void read(std::uint64_t first, std::span<float> out);

private:
    void load(std::uint64_t head);

    HeadRows heads_;
    ReadRows read_;
    std::vector<float> block_; ///< Block of the head head_.
    std::optional<std::uint64_t> head_;
};

} // namespace levee
