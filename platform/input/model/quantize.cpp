// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/quantize.hpp"

#include "ip/common/numerics.hpp"
#include "ip/common/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace levee {

namespace {

float magnitude(float value)
{
    return value < 0.0F ? -value : value;
}

int code_limit(levee_type type)
{
    return type == LEVEE_TYPE_INT8 ? 127 : 7;
}

void check_row(std::span<const float> row, std::uint32_t number, levee_type type,
               const std::string& place)
{
    for (size_t col = 0; col < row.size(); ++col) {
        const bool fits =
            std::isfinite(row[col]) && (type != LEVEE_TYPE_FP16 || magnitude(row[col]) < 65520.0F);
        if (!fits) {
            throw ModelError(place + ": row " + std::to_string(number) + ", column " +
                             std::to_string(col) + ": " + std::to_string(row[col]) +
                             ", expected a finite " + type_name(type) + " value");
        }
    }
}

float pack_codes(std::span<const float> row, levee_type type, std::uint8_t* out)
{
    float largest = 0.0F;
    for (const float value : row) {
        largest = std::max(largest, magnitude(value));
    }
    const int limit = code_limit(type);
    const float scale = largest / static_cast<float>(limit);
    for (size_t col = 0; col < row.size(); ++col) {
        const int code =
            scale > 0.0F ? std::clamp(round_to_int32(row[col] / scale), -limit, limit) : 0;
        if (type == LEVEE_TYPE_INT8) {
            out[col] = static_cast<std::uint8_t>(code);
        } else {
            const std::uint8_t nibble = static_cast<std::uint8_t>(code) & 0x0FU;
            out[col / 2] =
                static_cast<std::uint8_t>(out[col / 2] | (col % 2 == 0 ? nibble : nibble << 4));
        }
    }
    return scale;
}

void pack_floats(std::span<const float> row, levee_type type, std::uint8_t* out)
{
    if (type == LEVEE_TYPE_FP32) {
        std::memcpy(out, row.data(), row.size_bytes());
        return;
    }
    for (size_t col = 0; col < row.size(); ++col) {
        const std::uint16_t half = fp32_to_fp16(row[col]);
        std::memcpy(out + 2 * col, &half, sizeof half);
    }
}

} // namespace

std::uint32_t packed_row_bytes(levee_type type, std::uint32_t cols)
{
    return type == LEVEE_TYPE_INT16 || type == LEVEE_TYPE_UINT32
               ? 0
               : static_cast<std::uint32_t>(bytes_of(cols, type));
}

PackedMatrix pack_matrix(std::span<const float> values, std::uint32_t rows, std::uint32_t cols,
                         levee_type type, const std::string& place, std::uint32_t first_row)
{
    PackedMatrix packed{type, rows, cols, packed_row_bytes(type, cols), {}, {}};
    if (packed.row_bytes == 0) {
        throw ModelError(place + ": type " + type_name(type) +
                         ", expected INT4, INT8, FP16 or FP32");
    }
    if (values.size() != size_t{rows} * cols) {
        throw ModelError(place + ": " + std::to_string(values.size()) + " values, expected " +
                         std::to_string(rows) + " x " + std::to_string(cols));
    }
    const bool coded = type == LEVEE_TYPE_INT4 || type == LEVEE_TYPE_INT8;
    packed.data.resize(size_t{rows} * packed.row_bytes);
    for (std::uint32_t row = 0; row < rows; ++row) {
        const auto weights = values.subspan(size_t{row} * cols, cols);
        std::uint8_t* out = packed.data.data() + size_t{row} * packed.row_bytes;
        check_row(weights, first_row + row, type, place);
        if (coded) {
            packed.scales.push_back(pack_codes(weights, type, out));
        } else {
            pack_floats(weights, type, out);
        }
    }
    return packed;
}

void unpack_row(std::span<const std::uint8_t> row, levee_type type, float scale,
                std::span<float> out)
{
    for (size_t col = 0; col < out.size(); ++col) {
        if (type == LEVEE_TYPE_INT8) {
            out[col] = static_cast<float>(static_cast<std::int8_t>(row[col])) * scale;
        } else if (type == LEVEE_TYPE_INT4) {
            const int nibble = (row[col / 2] >> (col % 2 == 0 ? 0 : 4)) & 0x0F;
            out[col] = static_cast<float>(nibble < 8 ? nibble : nibble - 16) * scale;
        } else if (type == LEVEE_TYPE_FP16) {
            std::uint16_t half = 0;
            std::memcpy(&half, row.data() + 2 * col, sizeof half);
            out[col] = fp16_to_fp32(half);
        } else {
            std::memcpy(&out[col], row.data() + 4 * col, sizeof(float));
        }
    }
}

} // namespace levee
