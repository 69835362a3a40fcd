// SPDX-License-Identifier: Apache-2.0
// A model image, read and checked.
#pragma once

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

struct TensorView {
    levee_tensor_entry entry;
    std::span<const std::uint8_t> data; ///< entry.rows * entry.row_bytes
    std::span<const float> scales;      ///< row by row; empty for types without scales
    std::uint32_t group = 0;            ///< number of columns that share a scale; 0: the whole row

    levee_type type() const { return static_cast<levee_type>(entry.type); }
    std::uint32_t rows() const { return entry.rows; }
    std::uint32_t cols() const { return entry.cols; }
    std::span<const std::uint8_t> row(std::uint32_t number) const
    {
        return data.subspan(size_t{number} * entry.row_bytes, entry.row_bytes);
    }
    [[nodiscard]] WeightFormat format() const { return {type(), group}; }
    [[nodiscard]] std::uint32_t scales_a_row() const { return format().scales_of_row(cols()); }
    std::span<const float> row_scales(std::uint32_t number) const
    {
        return scales.subspan(size_t{number} * scales_a_row(), scales_a_row());
    }
    /// Returns the only row of an FP32 or UINT32 tensor [1, cols].
    std::span<const float> floats() const
    {
        return {reinterpret_cast<const float*>(data.data()), entry.cols};
    }
    std::span<const std::uint32_t> words() const
    {
        return {reinterpret_cast<const std::uint32_t*>(data.data()), entry.cols};
    }
};

/// A model image that was checked: its magic, version, sizes, CRC and shapes; the presence, type,
/// extent and alignment of every tensor; and the tokenizer.
class ModelImage {
public:
    /// open() and parse() throw ModelError: "<file>: <field>: <found>, expected <expected>".
    static ModelImage open(const std::filesystem::path& path);
    static ModelImage parse(std::vector<std::uint8_t> bytes, const std::string& source);
    /// Returns a header, a tensor table and the layers' flags, without other tensors or a
    /// tokenizer, for timing-only runs. `weights` is the format of the matrices. Throws ModelError
    /// for a shape that no model can have.
    static ModelImage of_shape(const ModelShape& shape, const WeightFormat& weights,
                               const std::string& name);

    const levee_model_header& header() const { return header_; }
    const ModelShape& shape() const { return shape_; }
    levee_type weight_type() const { return static_cast<levee_type>(header_.weight_type); }
    [[nodiscard]] WeightFormat weight_format() const
    {
        return {weight_type(), header_.weight_group};
    }
    std::string name() const;
    std::span<const std::uint8_t> bytes() const
    {
        return bytes_;
    } ///< Bytes that are loaded into
      ///< memory.
    std::uint64_t image_bytes() const
    {
        return header_.image_bytes;
    } ///< Size of the whole image, even if it has no data.
    bool has_data() const { return bytes_.size() == header_.image_bytes; }
    std::span<const levee_tensor_entry> entries() const { return entries_; }
    const Tokenizer& tokenizer() const { return tokenizer_; }
    /// Returns the tokens that end a text, in addition to the tokenizer's eos.
    std::span<const std::uint32_t> stops() const
    {
        return {header_.stops.tokens, header_.stops.count};
    }

    /// Returns the number of the model's chat template: header.chat, or LEVEE_CHAT_OTHER.
    std::uint32_t chat() const { return header_.chat; }

    bool has(levee_tensor_kind kind, std::uint32_t layer = LEVEE_NO_LAYER) const;
    /// Throws ModelError for a tensor that the image's shape does not have, or if it has no data.
    TensorView tensor(levee_tensor_kind kind, std::uint32_t layer = LEVEE_NO_LAYER) const;
    /// Returns a matrix or vector as FP32, [rows, cols].
    std::vector<float> values(levee_tensor_kind kind, std::uint32_t layer = LEVEE_NO_LAYER) const;

private:
    ModelImage(std::vector<std::uint8_t> bytes, const levee_model_header& header,
               const ModelShape& shape, std::vector<levee_tensor_entry> entries,
               Tokenizer tokenizer);
    const levee_tensor_entry* find(levee_tensor_kind kind, std::uint32_t layer) const;

    std::vector<std::uint8_t> bytes_;
    levee_model_header header_;
    ModelShape shape_;
    std::vector<levee_tensor_entry> entries_;
    Tokenizer tokenizer_;
};

} // namespace levee
