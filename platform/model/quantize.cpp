#include "platform/model/quantize.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace levee {

namespace {

float magnitude(float value)
{
    return value < 0.0F ? -value : value;
}

// Nearest integer, ties to even; |value| is small.
int round_to_even(float value)
{
    int whole = static_cast<int>(value);
    const float rest = value - static_cast<float>(whole);
    if (magnitude(rest) > 0.5F || (magnitude(rest) == 0.5F && whole % 2 != 0)) {
        whole += rest > 0.0F ? 1 : -1;
    }
    return whole;
}

int code_limit(levee_type type)
{
    return type == LEVEE_TYPE_INT8 ? 127 : 7;
}

// IEEE 754 binary16, ties to even. |value| < 65520, so that it rounds to a finite half.
uint16_t to_half(float value)
{
    const auto bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
    const float size = magnitude(value);
    if (size < 0x1p-14F) {
        return static_cast<uint16_t>(sign | static_cast<uint16_t>(round_to_even(size * 0x1p24F)));
    }
    const uint32_t rebased = (bits & 0x7FFFFFFFU) - (112U << 23);
    const uint32_t odd = (rebased >> 13) & 1U;
    return static_cast<uint16_t>(sign | ((rebased + 0x0FFFU + odd) >> 13));
}

float from_half(uint16_t half)
{
    const uint32_t sign = (half & 0x8000U) << 16;
    const uint32_t rest = half & 0x7FFFU;
    if (rest < 0x0400U) {
        const float size = static_cast<float>(rest) * 0x1p-24F;
        return sign != 0 ? -size : size;
    }
    return std::bit_cast<float>(sign | ((rest << 13) + (112U << 23)));
}

void check_row(std::span<const float> row, uint32_t number, levee_type type,
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

float pack_codes(std::span<const float> row, levee_type type, uint8_t* out)
{
    float largest = 0.0F;
    for (const float value : row) {
        largest = std::max(largest, magnitude(value));
    }
    const int limit = code_limit(type);
    const float scale = largest / static_cast<float>(limit);
    for (size_t col = 0; col < row.size(); ++col) {
        const int code =
            scale > 0.0F ? std::clamp(round_to_even(row[col] / scale), -limit, limit) : 0;
        if (type == LEVEE_TYPE_INT8) {
            out[col] = static_cast<uint8_t>(code);
        } else {
            const uint8_t nibble = static_cast<uint8_t>(code) & 0x0FU;
            out[col / 2] =
                static_cast<uint8_t>(out[col / 2] | (col % 2 == 0 ? nibble : nibble << 4));
        }
    }
    return scale;
}

void pack_floats(std::span<const float> row, levee_type type, uint8_t* out)
{
    if (type == LEVEE_TYPE_FP32) {
        std::memcpy(out, row.data(), row.size_bytes());
        return;
    }
    for (size_t col = 0; col < row.size(); ++col) {
        const uint16_t half = to_half(row[col]);
        std::memcpy(out + 2 * col, &half, sizeof half);
    }
}

} // namespace

uint32_t packed_row_bytes(levee_type type, uint32_t cols)
{
    switch (type) {
    case LEVEE_TYPE_INT4:
        return (cols + 1) / 2;
    case LEVEE_TYPE_INT8:
        return cols;
    case LEVEE_TYPE_FP16:
        return 2 * cols;
    case LEVEE_TYPE_FP32:
        return 4 * cols;
    default:
        return 0;
    }
}

PackedMatrix pack_matrix(std::span<const float> values, uint32_t rows, uint32_t cols,
                         levee_type type, const std::string& place)
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
    for (uint32_t row = 0; row < rows; ++row) {
        const auto weights = values.subspan(size_t{row} * cols, cols);
        uint8_t* out = packed.data.data() + size_t{row} * packed.row_bytes;
        check_row(weights, row, type, place);
        if (coded) {
            packed.scales.push_back(pack_codes(weights, type, out));
        } else {
            pack_floats(weights, type, out);
        }
    }
    return packed;
}

void unpack_row(std::span<const uint8_t> row, levee_type type, float scale, std::span<float> out)
{
    for (size_t col = 0; col < out.size(); ++col) {
        if (type == LEVEE_TYPE_INT8) {
            out[col] = static_cast<float>(static_cast<int8_t>(row[col])) * scale;
        } else if (type == LEVEE_TYPE_INT4) {
            const int nibble = (row[col / 2] >> (col % 2 == 0 ? 0 : 4)) & 0x0F;
            out[col] = static_cast<float>(nibble < 8 ? nibble : nibble - 16) * scale;
        } else if (type == LEVEE_TYPE_FP16) {
            uint16_t half = 0;
            std::memcpy(&half, row.data() + 2 * col, sizeof half);
            out[col] = from_half(half);
        } else {
            std::memcpy(&out[col], row.data() + 4 * col, sizeof(float));
        }
    }
}

} // namespace levee
