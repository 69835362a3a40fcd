// SPDX-License-Identifier: Apache-2.0
// Converts matrices to the types of a model image, row by row.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

struct PackedMatrix {
    levee_type type = LEVEE_TYPE_NONE;
    std::uint32_t rows = 0, cols = 0;
    std::uint32_t row_bytes = 0; ///< without padding between rows
    std::vector<std::uint8_t> data;
    std::vector<float> scales; ///< for INT8, INT4 and INT3, one for each row or one for each group;
                               ///< otherwise none
};

/// Returns the bytes of a row without padding; 0 for a type that matrices cannot have.
std::uint32_t packed_row_bytes(levee_type type, std::uint32_t cols);

/// values: [rows, cols]. Types:
///
///   INT8  code = w / scale, scale = max|w| of the row / 127, codes -127..127
///   INT4  the same with 7; two codes to a byte, the earlier in the low four bits
///   INT3  the same with 3; eight codes to three bytes, the earlier in the lower bits
///   FP16, FP32  the nearest value
///
/// With groups, each group has its own maximum and scale. With ScaleRule::LeastError the scale may
/// be smaller, and larger codes are clamped. With ScaleRule::Tensor all rows have the scale of
/// `largest`, the largest magnitude of the whole matrix. `values` may be a part of this matrix; if
/// `largest` is 0, the largest magnitude is that of `values`. Ties go to even. A row or group of
/// zeros has scale 0, except with ScaleRule::Tensor. Throws ModelError for a weight that is not
/// finite or too large for FP16. The message has `place`, the column, and the row, counted from
/// `first_row`, since `values` may be a part of a matrix.
PackedMatrix pack_matrix(std::span<const float> values, std::uint32_t rows, std::uint32_t cols,
                         const WeightFormat& format, const std::string& place,
                         std::uint32_t first_row = 0, float largest = 0.0F);

/// Converts one row back to FP32, and writes its values to `out`. For INT8, INT4 and INT3, `scales`
/// are the scales of this row.
void unpack_row(std::span<const std::uint8_t> row, const WeightFormat& format,
                std::span<const float> scales, std::span<float> out);
/// Converts a row with a single scale.
void unpack_row(std::span<const std::uint8_t> row, levee_type type, float scale,
                std::span<float> out);

} // namespace levee
