// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/transposed_heads.hpp"

namespace levee {

void TransposedHeads::read(std::uint64_t first, std::span<float> out)
{
    const std::size_t rows = heads_.rows;
    for (std::size_t row = 0; row * rows < out.size(); ++row) {
        load((first + row) / heads_.cols);
        const std::uint64_t col = (first + row) % heads_.cols;
        for (std::size_t i = 0; i < rows; ++i)
            out[row * rows + i] = block_[i * heads_.cols + col];
    }
}

void TransposedHeads::load(std::uint64_t head)
{
    if (head_ == head)
        return;
    read_(head * heads_.of_head, block_);
    head_ = head;
}

} // namespace levee
