// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/quantize.hpp"

#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "core/numerics/tensor.hpp"

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
    return type == LEVEE_TYPE_INT8 ? 127 : type == LEVEE_TYPE_INT4 ? 7 : 3;
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

/// Sets element `index` of a packed row. The element's bits must be 0 before.
void put_code(std::uint8_t* row, levee_type type, size_t index, int code)
{
    const auto bits = static_cast<unsigned>(bits_of_type(type));
    const size_t first = index * bits;
    const unsigned value = (static_cast<unsigned>(code) & ((1U << bits) - 1)) << first % 8;
    row[first / 8] = static_cast<std::uint8_t>(row[first / 8] | value);
    if (value > 0xFFU) {
        row[first / 8 + 1] = static_cast<std::uint8_t>(value >> 8);
    }
}

int code_of(float weight, float scale, int limit)
{
    return scale > 0.0F ? std::clamp(round_to_int32(weight / scale), -limit, limit) : 0;
}

double squared_error(std::span<const float> weights, float scale, int limit)
{
    double sum = 0.0;
    for (const float weight : weights) {
        const double error =
            double{weight} - double{static_cast<float>(code_of(weight, scale, limit)) * scale};
        sum += error * error;
    }
    return sum;
}

/// Tries several shares of the scale `whole`, and returns the scale with the least error; among
/// equals, the largest.
float least_error_scale(std::span<const float> weights, float whole, int limit)
{
    constexpr int shares = 40; // tries scales of 40/40 down to 20/40
    float best = whole;
    double least = squared_error(weights, whole, limit);
    for (int share = shares - 1; share >= shares / 2; --share) {
        const float scale = whole * static_cast<float>(share) / static_cast<float>(shares);
        const double error = squared_error(weights, scale, limit);
        if (error < least) {
            least = error;
            best = scale;
        }
    }
    return best;
}

/// Packs columns [first, first + weights.size()) of a row, and returns their scale.
float pack_codes(std::span<const float> weights, const WeightFormat& format, size_t first,
                 float largest, std::uint8_t* row)
{
    if (format.scales != ScaleRule::Tensor)
        largest = largest_magnitude(weights);
    const int limit = code_limit(format.type);
    float scale = largest / static_cast<float>(limit);
    if (format.scales == ScaleRule::LeastError)
        scale = least_error_scale(weights, scale, limit);
    for (size_t col = 0; col < weights.size(); ++col)
        put_code(row, format.type, first + col, code_of(weights[col], scale, limit));
    return scale;
}

void pack_groups(std::span<const float> weights, const WeightFormat& format, float largest,
                 std::uint8_t* row, std::vector<float>& scales)
{
    const size_t step = format.group == 0 ? weights.size() : format.group;
    for (size_t first = 0; first < weights.size(); first += step) {
        const size_t count = std::min(step, weights.size() - first);
        scales.push_back(pack_codes(weights.subspan(first, count), format, first, largest, row));
    }
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
                         const WeightFormat& format, const std::string& place,
                         std::uint32_t first_row, float largest)
{
    const levee_type type = format.type;
    check_format(format, place);
    PackedMatrix packed{type, rows, cols, packed_row_bytes(type, cols), {}, {}};
    if (values.size() != size_t{rows} * cols) {
        throw ModelError(place + ": " + std::to_string(values.size()) + " values, expected " +
                         std::to_string(rows) + " x " + std::to_string(cols));
    }
    packed.data.resize(size_t{rows} * packed.row_bytes);
    if (format.scales == ScaleRule::Tensor && largest == 0.0F)
        largest = largest_magnitude(values);
    for (std::uint32_t row = 0; row < rows; ++row) {
        const auto weights = values.subspan(size_t{row} * cols, cols);
        std::uint8_t* out = packed.data.data() + size_t{row} * packed.row_bytes;
        check_row(weights, first_row + row, type, place);
        if (format.has_scales()) {
            pack_groups(weights, format, largest, out, packed.scales);
        } else {
            pack_floats(weights, type, out);
        }
    }
    return packed;
}

void unpack_row(std::span<const std::uint8_t> row, const WeightFormat& format,
                std::span<const float> scales, std::span<float> out)
{
    const size_t shared = format.group == 0 ? out.size() : format.group;
    for (size_t col = 0; col < out.size(); ++col) {
        if (format.has_scales()) {
            const int code = integer_element(std::as_bytes(row).data(), format.type, col);
            out[col] = static_cast<float>(code) * scales[col / shared];
        } else if (format.type == LEVEE_TYPE_FP16) {
            std::uint16_t half = 0;
            std::memcpy(&half, row.data() + 2 * col, sizeof half);
            out[col] = fp16_to_fp32(half);
        } else {
            std::memcpy(&out[col], row.data() + 4 * col, sizeof(float));
        }
    }
}

void unpack_row(std::span<const std::uint8_t> row, levee_type type, float scale,
                std::span<float> out)
{
    unpack_row(row, WeightFormat(type), {&scale, 1}, out);
}

} // namespace levee
