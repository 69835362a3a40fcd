// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/layout.hpp"

#include "core/command/command_queue.hpp"
#include "core/numerics/tensor.hpp"

#include <cstddef>

namespace levee::kv_tables {

namespace {

using Op = levee_se_operation;

} // namespace

std::uint64_t Table::at(std::size_t o0, std::size_t o1) const
{
    return address + static_cast<std::uint64_t>(stride0) * o0 +
           static_cast<std::uint64_t>(stride1) * o1;
}

AccessPattern Table::run(std::size_t o0, std::size_t o1, std::size_t elements) const
{
    AccessPattern pattern;
    pattern.address = at(o0, o1);
    pattern.run_bytes = elements * element_bytes;
    return pattern;
}

AccessPattern Table::element(std::size_t o0, std::size_t o1, std::uint64_t index) const
{
    AccessPattern pattern = run(o0, o1, 1);
    pattern.address += index * element_bytes;
    return pattern;
}

Table Layout::lengths() const
{
    return {op_.lengths, op_.table_stride[0], 0, 4, operation_field(offsetof(Op, lengths))};
}

Table Layout::now() const
{
    return {op_.now, op_.table_stride[0], 0, 4, operation_field(offsetof(Op, now))};
}

Table Layout::by_position() const
{
    return {op_.scores, op_.scores_stride[0], op_.scores_stride[1], 2,
            operation_field(offsetof(Op, scores))};
}

Table Layout::importance() const
{
    return {op_.importance, op_.importance_stride[0], op_.importance_stride[1], 2,
            operation_field(offsetof(Op, importance))};
}

Table Layout::positions() const
{
    return {op_.positions, op_.positions_stride[0], op_.positions_stride[1], 4,
            operation_field(offsetof(Op, positions))};
}

Table Layout::gather() const
{
    return {op_.gather, op_.positions_stride[0], op_.positions_stride[1], 4,
            operation_field(offsetof(Op, gather))};
}

Table Layout::views() const
{
    return {op_.views, op_.views_stride[0], op_.views_stride[1], 1,
            operation_field(offsetof(Op, views))};
}

Table Layout::arrival() const
{
    return {op_.arrival, op_.table_stride[0], op_.table_stride[1], 4,
            operation_field(offsetof(Op, arrival))};
}

Table Layout::next() const
{
    return {op_.next, op_.table_stride[0], op_.table_stride[1], 4,
            operation_field(offsetof(Op, next))};
}

Table Layout::redirect() const
{
    return {formats_.redirect, op_.positions_stride[0], op_.positions_stride[1], 4,
            operation_field(offsetof(Op, formats))};
}

Table Layout::slot_of() const
{
    return {formats_.slot_of, formats_.slot_of_stride[0], formats_.slot_of_stride[1], 4,
            operation_field(offsetof(Op, formats))};
}

Table Layout::per_row(std::uint64_t address) const
{
    return {address, formats_.row_table_stride, 0, 4, operation_field(offsetof(Op, formats))};
}

Table Layout::per_entry(std::uint64_t address) const
{
    return {address, formats_.entry_table_stride, 0, 4, operation_field(offsetof(Op, formats))};
}

AccessPattern Layout::kv_row(std::uint64_t base, std::size_t o0, std::size_t o1,
                             std::uint32_t slot) const
{
    AccessPattern row;
    row.address = offset_by(offset_by(base, op_.kv_stride[0], o0), op_.kv_stride[1], o1) +
                  std::uint64_t{op_.kv_row_bytes} * slot;
    row.run_bytes = op_.kv_row_bytes;
    return row;
}

AccessPattern Layout::x_row(std::size_t o0, std::uint32_t r) const
{
    AccessPattern row;
    row.address =
        offset_by(offset_by(formats_.x, formats_.x_stride[0], o0), formats_.x_stride[1], r);
    row.run_bytes = formats_.x_row_bytes;
    return row;
}

} // namespace levee::kv_tables
