// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/model.hpp"

#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/rsa/kernels.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::rsa {
namespace {

[[noreturn]] void refuse(const std::string& what)
{
    throw std::invalid_argument("levee::rsa::gemm: " + what);
}

void check_operand(const char* name, const Operand& operand, std::size_t rows, std::size_t columns)
{
    const std::size_t row = bytes_of(columns, operand.type);
    const std::size_t needed = (rows - 1) * operand.pitch + row;
    if (operand.data.size() < needed)
        refuse(std::string(name) + " needs " + std::to_string(needed) + " bytes, has " +
               std::to_string(operand.data.size()));
}

/// Checks the factors of `count` rows or columns. Each row or column has `each` factors.
void check_factors(const char* name, const Factors& factors, std::size_t count,
                   std::size_t each = 1)
{
    const std::size_t needed = (count - 1) * factors.stride + each;
    if (!factors.data.empty() && factors.data.size() < needed)
        refuse(std::string(name) + " needs " + std::to_string(needed) + " elements, has " +
               std::to_string(factors.data.size()));
}

void check(const Gemm& g)
{
    if (g.m == 0 || g.n == 0 || g.k == 0)
        refuse("m, n and k must be at least 1");
    if (passes(g.a.type, g.b.type) == 0)
        refuse("a must be INT16 or INT8, b INT16, INT8, INT4 or INT3");
    if (g.group % 8 != 0)
        refuse("group is " + std::to_string(g.group) + ", expected a multiple of 8, or 0");
    check_operand("a", g.a, g.m, g.k);
    if (g.b_transposed)
        check_operand("b", g.b, g.n, g.k);
    else
        check_operand("b", g.b, g.k, g.n);
    check_factors("a_scale", g.a_scale, g.m);
    check_factors("b_scale", g.b_scale, g.n, groups_of(g.k, g.group));
    if (g.group != 0 && g.b_scale.data.empty())
        refuse("b_scale is empty, expected a scale per group");
    check_factors("bias", {g.bias, 1}, g.n);
    check_factors("keep", g.keep, g.m);
    if (g.out.size() < (g.m - 1) * g.out_pitch + g.n)
        refuse("out needs " + std::to_string((g.m - 1) * g.out_pitch + g.n) + " elements, has " +
               std::to_string(g.out.size()));
}

/// Adds a group's sums of a row, multiplied by their scales, to the FP32 values of columns from
/// `first` on. The first group sets these values.
void add_group(const Gemm& g, std::size_t group, std::uint32_t first,
               std::span<const std::int64_t> sums, std::span<float> values)
{
    for (std::size_t j = 0; j < sums.size(); ++j) {
        const float scale = g.b_scale.data[(first + j) * g.b_scale.stride + group];
        const float product = static_cast<float>(sums[j]) * scale;
        values[j] = group == 0 ? product : values[j] + product;
    }
}

/// Output stage of the array, with the order of operations in ip/rsa/regs.h. `values` are the sums
/// or, with groups, the results of add_group().
void scale_row(const Gemm& g, std::uint32_t i, std::uint32_t first, std::span<const float> values)
{
    const bool has_a_scale = !g.a_scale.data.empty();
    const bool has_b_scale = !g.b_scale.data.empty() && g.group == 0;
    const float a_scale = has_a_scale ? g.a_scale.data[i * g.a_scale.stride] : 1.0f;
    const float keep = g.keep.data.empty() ? 1.0f : g.keep.data[i * g.keep.stride];
    float* out = &g.out[i * g.out_pitch + first];
    for (std::size_t j = 0; j < values.size(); ++j) {
        float value = values[j];
        if (has_a_scale)
            value *= a_scale;
        if (has_b_scale)
            value *= g.b_scale.data[(first + j) * g.b_scale.stride];
        if (g.alpha != 1.0f)
            value *= g.alpha;
        if (!g.bias.empty())
            value += g.bias[first + j];
        if (g.accumulate)
            value += g.keep.data.empty() ? out[j] : out[j] * keep;
        out[j] = canonical(value);
    }
}

// Returns the first stored byte of column `first`.
const std::byte* column_start(const Gemm& g, std::uint32_t first)
{
    const std::size_t offset = g.b_transposed ? first * g.b.pitch : bytes_of(first, g.b.type);
    return g.b.data.data() + offset;
}

// A 16-bit element consists of a signed high byte and an unsigned low byte. Other elements are one
// signed byte.
struct Bytes {
    std::array<std::int32_t, 2> value; // [0] is the signed byte.
    unsigned count;
};
Bytes split(const std::byte* row, levee_type type, std::size_t index)
{
    const std::int32_t whole = integer_element(row, type, index);
    if (type == LEVEE_TYPE_INT16)
        return {{whole >> 8, whole & 0xFF}, 2};
    return {{whole, 0}, 1};
}

std::int64_t sum_by_passes(const Gemm& g, std::uint32_t i, std::uint32_t j, std::uint32_t first,
                           std::uint32_t end)
{
    std::int32_t pass[2][2] = {};
    unsigned a_bytes = 1, b_bytes = 1;
    for (std::uint32_t l = first; l < end; ++l) {
        const Bytes a = split(g.a.data.data() + i * g.a.pitch, g.a.type, l);
        const Bytes b = g.b_transposed ? split(g.b.data.data() + j * g.b.pitch, g.b.type, l)
                                       : split(g.b.data.data() + l * g.b.pitch, g.b.type, j);
        for (unsigned p = 0; p < a.count; ++p)
            for (unsigned q = 0; q < b.count; ++q)
                pass[p][q] += a.value[p] * b.value[q];
        a_bytes = a.count;
        b_bytes = b.count;
    }
    std::int64_t sum = 0;
    for (unsigned p = 0; p < a_bytes; ++p)
        for (unsigned q = 0; q < b_bytes; ++q)
            sum +=
                std::int64_t{pass[p][q]} * (std::int64_t{1} << 8 * (a_bytes + b_bytes - 2 - p - q));
    return sum;
}

/// Takes one group's exact sums for a row: scales them and adds them to `values`. Without groups,
/// copies the sums to `values`.
void take_sums(const Gemm& g, std::size_t group, std::uint32_t first,
               std::span<const std::int64_t> sums, std::span<float> values)
{
    if (g.group != 0)
        add_group(g, group, first, sums, values);
    else
        std::copy(sums.begin(), sums.end(), values.begin());
}

/// Computes row i of columns [first, first + count). `b` is the first byte of the first column.
void multiply_row(const Gemm& g, SumFunction sums_of, std::uint32_t i, std::uint32_t first,
                  std::uint32_t count, const std::byte* b)
{
    std::array<std::int64_t, kMaxColumns> sums;
    std::array<float, kMaxColumns> values;
    const std::uint32_t step = g.group == 0 ? g.k : g.group;
    const std::size_t b_step = g.b_transposed ? bytes_of(step, g.b.type) : step * g.b.pitch;
    const std::byte* a = g.a.data.data() + i * g.a.pitch;
    std::size_t group = 0;
    for (std::uint32_t l = 0; l < g.k; l += step, ++group) {
        sums_of(a + group * bytes_of(step, g.a.type), b + group * b_step, g.b.pitch,
                std::min(step, g.k - l), count, sums.data());
        take_sums(g, group, first, std::span(sums).first(count), std::span(values).first(count));
    }
    scale_row(g, i, first, std::span(values).first(count));
}

/// Computes row i of columns [first, first + count) like multiply_row(), with all groups at once.
void multiply_row_of_groups(const Gemm& g, GroupFunction groups_of, std::uint32_t i,
                            std::uint32_t first, std::uint32_t count, const std::byte* b)
{
    std::array<float, kMaxColumns> values;
    groups_of({g.a.data.data() + i * g.a.pitch, b, g.b.pitch,
               &g.b_scale.data[first * g.b_scale.stride], g.b_scale.stride, g.k, g.group, count,
               i == 0},
              values.data());
    scale_row(g, i, first, std::span(values).first(count));
}

/// Returns the number of columns that are multiplied by all rows of A before the next columns.
std::uint32_t columns_at_once(const Gemm& g, bool all_groups)
{
    // If groups are multiplied one by one, only few columns are used at a time, so that
    // hardware prefetchers follow each column. With many rows of A, keeping B in the cache
    // matters more.
    constexpr std::uint32_t streams = 4;
    if (g.group != 0 && g.b_transposed && !all_groups && g.m <= streams)
        return streams;
    // Size up to which a part of B stays in the cache while all rows of A are multiplied.
    constexpr std::uint32_t near_bytes = 16384;
    const auto column_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(
        near_bytes, g.b_transposed ? bytes_of(g.k, g.b.type) : 2 * std::size_t{g.k}));
    return std::clamp(near_bytes / column_bytes & ~15u, 16u, kMaxColumns);
}

} // namespace

unsigned passes(levee_type a_type, levee_type b_type)
{
    const unsigned a = a_type == LEVEE_TYPE_INT16 ? 2 : a_type == LEVEE_TYPE_INT8 ? 1 : 0;
    const unsigned b = b_type == LEVEE_TYPE_INT16 ? 2 : is_weight_code(b_type) ? 1 : 0;
    return a * b;
}

void gemm(const Gemm& g)
{
    check(g);
    const SumFunction sums_of = select_sums(best_isa(), g.a.type, g.b.type, g.b_transposed);
    const GroupFunction groups_of =
        g.group != 0 && g.b_transposed ? select_groups(best_isa(), g.a.type, g.b.type, g.k, g.group)
                                       : nullptr;
    const std::uint32_t block = columns_at_once(g, groups_of != nullptr);
    for (std::uint32_t first = 0; first < g.n; first += block) {
        const std::uint32_t count = std::min(block, g.n - first);
        const std::byte* b = column_start(g, first);
        for (std::uint32_t i = 0; i < g.m; ++i)
            if (groups_of != nullptr)
                multiply_row_of_groups(g, groups_of, i, first, count, b);
            else
                multiply_row(g, sums_of, i, first, count, b);
    }
}

void scale_sums(const Gemm& g, std::span<const std::int64_t> sums)
{
    std::vector<float> values(g.n);
    const std::size_t groups = groups_of(g.k, g.group);
    for (std::uint32_t i = 0; i < g.m; ++i) {
        for (std::size_t group = 0; group < groups; ++group)
            take_sums(g, group, 0, sums.subspan((group * g.m + i) * g.n, g.n), values);
        scale_row(g, i, 0, values);
    }
}

void gemm_by_passes(const Gemm& g)
{
    check(g);
    if (g.k > max_inner(g.b.type))
        refuse("k is " + std::to_string(g.k) + "; INT32 sums of a pass allow at most " +
               std::to_string(max_inner(g.b.type)));
    for (std::uint32_t i = 0; i < g.m; ++i)
        for (std::uint32_t j = 0; j < g.n; ++j) {
            float value = 0.0f;
            const std::uint32_t step = g.group == 0 ? g.k : g.group;
            for (std::uint32_t l = 0; l < g.k; l += step) {
                const std::int64_t sum = sum_by_passes(g, i, j, l, std::min(g.k, l + step));
                take_sums(g, l / step, j, {&sum, 1}, {&value, 1});
            }
            scale_row(g, i, j, {&value, 1});
        }
}

} // namespace levee::rsa
