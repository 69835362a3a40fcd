// SPDX-License-Identifier: Apache-2.0
// The accesses of timing-only runs: those that functional runs make to memories that track
// accesses.
#include "core/numerics/tensor.hpp"
#include "ip/rsa/gemm_run.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace levee::rsa {

namespace {

// An upper bound of the row size of any memory.
constexpr std::int64_t row_bytes = 64;

/// True if no two runs share a memory row: one access to all of them is then equivalent to one
/// access to each.
bool lies_apart(std::uint64_t address, std::span<const Loop> nest)
{
    return address % row_bytes == 0 && std::all_of(nest.begin(), nest.end(), [](const Loop& loop) {
               return loop.count == 1 || loop.stride % row_bytes == 0;
           });
}

/// The operand was opened as one pattern, which lies in one memory.
bool is_in_one_memory(std::span<const Loop> nest)
{
    return std::count_if(nest.begin(), nest.end(),
                         [](const Loop& loop) { return loop.count != 1; }) <= 3;
}

} // namespace

void GemmRun::touch_inputs()
{
    if (has_bias())
        touch(Direction::Read, bias(), field_bias);
    for (const Group& group : groups_) {
        touch(Direction::Read, operand_a(group.k), group);
        touch_stationary(group);
        if (gemm_.a_scale != 0)
            touch(Direction::Read, operand_a_scale(), group);
        if (gemm_.b_scale != 0)
            touch(Direction::Read, operand_b_scale(group.n), group);
        if (has_keep())
            touch(Direction::Read, operand_keep(), group);
        if (accumulates())
            touch(Direction::Read, operand_out(group.n), group);
    }
}

void GemmRun::touch_stationary(const Group& group)
{
    if (from_stream_)
        return;
    Operand b = operand_b(group.k, group.n);
    if (!stored_.is_redirected()) {
        touch(Direction::Read, b, group);
        return;
    }
    if (stored_.has_tables()) {
        for (std::size_t i = group.first; i < group.first + group.count; ++i)
            stored_.read(i,
                         part(b, static_cast<std::uint32_t>(i / gemm_.outer[1]),
                              static_cast<std::uint32_t>(i % gemm_.outer[1])),
                         nullptr, field_b);
        return;
    }
    const std::uint64_t elsewhere = group.rows_elsewhere / group.count;
    const levee_rsa_redirect& redirect = stored_.redirect();
    if (elsewhere > 0)
        touch(Direction::Read,
              {redirect.base,
               redirect.base_stride,
               b.run_bytes,
               {1, 0},
               {elsewhere, redirect.base_stride[2]},
               field_redirect},
              group);
    b.inner.count -= elsewhere + group.rows_free / group.count;
    if (b.inner.count > 0)
        touch(Direction::Read, b, group);
}

void GemmRun::touch_results(std::uint32_t first, std::uint32_t last)
{
    for (const Group& group : groups_) {
        const std::size_t begin = std::max<std::size_t>(first, group.first);
        const std::size_t end = std::min<std::size_t>(last, group.first + group.count);
        if (begin < end)
            touch(Direction::Write, operand_out(group.n),
                  Group{begin, end - begin, group.k, group.n});
    }
}

/// Column folds [first, last) of the only product.
void GemmRun::touch_columns(std::uint32_t first, std::uint32_t last)
{
    const std::uint64_t n = groups_.front().n;
    const std::uint64_t begin = std::min<std::uint64_t>(std::uint64_t{first} * array_.columns, n);
    const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{last} * array_.columns, n);
    if (begin < end)
        touch(Direction::Write, columns_of(begin, end), field_out);
}

void GemmRun::touch(Direction direction, const Operand& operand, const Group& group)
{
    const std::uint64_t o1 = gemm_.outer[1];
    const std::array<Loop, 4> nest{
        {{group.count / o1, operand.outer[0]}, {o1, operand.outer[1]}, operand.row, operand.inner}};
    if (group.first % o1 == 0 && group.count % o1 == 0) {
        const std::uint64_t first = offset_by(operand.address, operand.outer[0], group.first / o1);
        if (is_in_one_memory(nest) && !queue_.tracks(direction, first))
            return;
        if (lies_apart(operand.address, nest)) {
            for (const AccessPattern& pattern :
                 patterns_of(first, operand.run_bytes, {nest[0], nest[1], nest[2], nest[3]}))
                touch(direction, pattern, operand.field);
            return;
        }
    }
    for (std::size_t i = group.first; i < group.first + group.count; ++i)
        touch(direction,
              part(operand, static_cast<std::uint32_t>(i / o1), static_cast<std::uint32_t>(i % o1)),
              operand.field);
}

void GemmRun::touch(Direction direction, const AccessPattern& pattern, std::uint32_t field)
{
    if (!queue_.tracks(direction, pattern.address))
        return;
    if (direction == Direction::Read)
        queue_.read(pattern, nullptr, field);
    else
        queue_.write(pattern, nullptr);
}

} // namespace levee::rsa
