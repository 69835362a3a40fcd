// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/huggingface/expert_matrix.hpp"

#include "platform/input/import/e8m0.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace levee::hf {

namespace {

using Shape = std::vector<std::uint64_t>;

constexpr std::uint64_t block_values = 32;       // MXFP4: values that share a scale
constexpr std::uint64_t panel_values = 1U << 20; // greatest number of values in memory, unless one
                                                 // row has more

/// Returns the index of a row in the file; gates have even indices.
std::uint64_t stored_row(const ExpertsPlace& place, std::uint64_t row)
{
    if (!place.in_turn)
        return row;
    const std::uint64_t half = place.rows / 2, own = row % place.rows;
    return row - own + (own < half ? 2 * own : 2 * (own - half) + 1);
}

/// A matrix [experts, inputs, outputs]. Some outputs of one expert are in memory at the same time.
class ColumnsMatrix : public QuantizedMatrix {
public:
    ColumnsMatrix(const StoredTensors& stored, ExpertsPlace place)
        : place_(std::move(place)), tensor_(stored.at(place_.name)),
          panel_rows_(std::clamp<std::uint64_t>(panel_values / place_.cols, 1, place_.rows))
    {
        expect_tensor(tensor_, place_.name, {place_.experts, place_.cols, place_.rows}, "");
    }

    void read(std::uint64_t first, std::span<float> out) override
    {
        const std::uint64_t cols = place_.cols;
        for (std::uint64_t row = first; !out.empty(); ++row, out = out.subspan(cols)) {
            const std::uint64_t at = stored_row(place_, row);
            if (panel_.empty() || at < panel_first_ || at >= panel_first_ + panel_height_)
                load(at);
            for (std::uint64_t col = 0; col < cols; ++col)
                out[col] = panel_[col * panel_height_ + at - panel_first_];
            if (row + 1 == place_.experts * place_.rows)
                panel_ = {};
        }
    }

private:
    void load(std::uint64_t row)
    {
        const std::uint64_t expert = row / place_.rows, own = row % place_.rows;
        const std::uint64_t begin = own / panel_rows_ * panel_rows_;
        panel_first_ = expert * place_.rows + begin;
        panel_height_ = std::min(panel_rows_, place_.rows - begin);
        panel_.resize(panel_height_ * place_.cols);
        for (std::uint64_t col = 0; col < place_.cols; ++col)
            read_values(tensor_, (expert * place_.cols + col) * place_.rows + begin,
                        std::span(panel_).subspan(col * panel_height_, panel_height_));
    }

    ExpertsPlace place_;
    StoredTensor tensor_;
    std::uint64_t panel_rows_, panel_first_ = 0, panel_height_ = 0;
    std::vector<float> panel_; ///< [inputs, some outputs]
};

/// MXFP4 (OCP): E2M1 elements, two per byte with the first in the low half, and one E8M0 scale for
/// each 32.
///  name_blocks [experts, outputs, inputs / 32, 16], name_scales [experts, outputs, inputs / 32]
class Mxfp4Matrix : public QuantizedMatrix {
public:
    Mxfp4Matrix(const StoredTensors& stored, ExpertsPlace place)
        : place_(std::move(place)), blocks_(stored.at(place_.name + "_blocks")),
          codes_(place_.cols / 2), exponents_(place_.cols / block_values)
    {
        const std::string title = tensor_title(blocks_, place_.name + "_blocks");
        const auto scales = stored.find(place_.name + "_scales");
        if (place_.cols % block_values != 0)
            throw ModelError(title + ": has " + std::to_string(place_.cols) +
                             " inputs; expected a multiple of " + std::to_string(block_values));
        if (scales == stored.end())
            throw ModelError(title + ": has no tensor " + place_.name + "_scales");
        const Shape shape{place_.experts, place_.rows, exponents_.size()};
        expect_tensor(scales->second, place_.name + "_scales", shape, "U8");
        scales_ = scales->second;
        expect_tensor(blocks_, place_.name + "_blocks",
                      {shape[0], shape[1], shape[2], block_values / 2}, "U8");
    }

    void read(std::uint64_t first, std::span<float> out) override
    {
        constexpr std::array<float, 8> magnitudes{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
        for (std::uint64_t row = first; !out.empty(); ++row, out = out.subspan(place_.cols)) {
            const std::uint64_t at = stored_row(place_, row);
            blocks_.file->read(blocks_.offset + at * codes_.size(), codes_);
            scales_.file->read(scales_.offset + at * exponents_.size(), exponents_);
            for (std::size_t col = 0; col < place_.cols; ++col) {
                const unsigned code = codes_[col / 2] >> (col % 2 == 0 ? 0 : 4) & 15U;
                const float value = magnitudes[code & 7U] * e8m0(exponents_[col / block_values]);
                out[col] = (code & 8U) != 0 ? -value : value;
            }
        }
    }

private:
    ExpertsPlace place_;
    StoredTensor blocks_, scales_;
    std::vector<std::uint8_t> codes_, exponents_; ///< codes and exponents of a row
};

/// Biases [experts, outputs], which are read as one row.
class Biases : public QuantizedMatrix {
public:
    Biases(const StoredTensors& stored, ExpertsPlace place)
        : place_(std::move(place)), tensor_(stored.at(place_.name))
    {
        expect_tensor(tensor_, place_.name, {place_.experts, place_.rows}, "");
    }

    void read(std::uint64_t /*first*/, std::span<float> out) override
    {
        std::vector<float> values(out.size());
        read_values(tensor_, 0, values);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = values[stored_row(place_, i)];
    }

private:
    ExpertsPlace place_;
    StoredTensor tensor_;
};

} // namespace

std::vector<std::string> names_of_experts(const StoredTensors& stored, const std::string& name)
{
    if (stored.contains(name))
        return {name};
    if (stored.contains(name + "_blocks"))
        return {name + "_blocks", name + "_scales"};
    return {};
}

std::shared_ptr<QuantizedMatrix> experts_matrix(const StoredTensors& stored,
                                                const ExpertsPlace& place)
{
    if (stored.contains(place.name))
        return std::make_shared<ColumnsMatrix>(stored, place);
    return std::make_shared<Mxfp4Matrix>(stored, place);
}

std::shared_ptr<QuantizedMatrix> experts_biases(const StoredTensors& stored,
                                                const ExpertsPlace& place)
{
    return std::make_shared<Biases>(stored, place);
}

} // namespace levee::hf
