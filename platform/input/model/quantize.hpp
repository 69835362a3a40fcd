// SPDX-License-Identifier: Apache-2.0
// Matrices in the types of a model image, row by row.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

struct PackedMatrix {
    levee_type type = LEVEE_TYPE_NONE;
    std::uint32_t rows = 0, cols = 0;
    std::uint32_t row_bytes = 0; ///< rows follow each other without padding
    std::vector<std::uint8_t> data;
    std::vector<float> scales; ///< Scales of INT8, INT4 and INT3: for each row, one or one for each
                               ///< group; otherwise none.
};

/// Bytes of one row without padding; 0 for a type that matrices do not have.
std::uint32_t packed_row_bytes(levee_type type, std::uint32_t cols);

/// values: [rows, cols]. Types:
///
///   INT8  code = w / scale, scale = max|w| of the row / 127, codes -127..127
///   INT4  the same with 7; two codes to a byte, the earlier in the low four bits
///   INT3  the same with 3; eight codes to three bytes, the earlier in the lower bits
///   FP16, FP32  the nearest value
///
/// With groups the maximum is that of the group, and each group has a scale. With
/// ScaleRule::LeastError the scale is a part of that, and codes beyond the largest are clamped.
/// Ties always go to even. A row or group of zeros has scale 0. Throws ModelError with `place`, row
/// (counted from `first_row`: values may be some rows of a matrix) and column for a weight that is
/// not finite or too large for FP16.
PackedMatrix pack_matrix(std::span<const float> values, std::uint32_t rows, std::uint32_t cols,
                         const WeightFormat& format, const std::string& place,
                         std::uint32_t first_row = 0);

/// One row back to FP32; cols values are written to `out`. scales: the row's, counts for INT8, INT4
/// and INT3 only.
void unpack_row(std::span<const std::uint8_t> row, const WeightFormat& format,
                std::span<const float> scales, std::span<float> out);
/// The same with one scale for the row.
void unpack_row(std::span<const std::uint8_t> row, levee_type type, float scale,
                std::span<float> out);

} // namespace levee
