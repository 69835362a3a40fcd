// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/latent_matrix.hpp"

namespace levee::hf {

namespace {

class StoredHeads : public QuantizedMatrix {
public:
    StoredHeads(const StoredTensors& stored, const TensorPlace& place, const HeadRows& heads)
        : heads_(heads,
                 [&stored, place, cols = heads.cols](std::uint64_t row, std::span<float> out) {
                     if (place.matrix)
                         place.matrix->read(row, out);
                     else
                         read_values(stored.at(place.name), row * cols, out);
                 })
    {
    }

    void read(std::uint64_t first, std::span<float> out) override { heads_.read(first, out); }

private:
    TransposedHeads heads_;
};

} // namespace

std::shared_ptr<QuantizedMatrix> transposed_heads(const StoredTensors& stored,
                                                  const TensorPlace& place, const HeadRows& heads)
{
    return std::make_shared<StoredHeads>(stored, place, heads);
}

} // namespace levee::hf
