// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/numerics/tensor.hpp"

#include <cstddef>
#include <cstdint>

namespace levee {

inline AccessPattern contiguous(std::uint64_t address, std::uint64_t bytes)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    return pattern;
}

/// Access to `rows` rows of `run_bytes` bytes in block (o0, o1) of a tensor. `stride` has the
/// strides of o0, o1 and rows.
inline AccessPattern rows_of(std::uint64_t address, const std::int32_t (&stride)[3],
                             std::uint32_t o0, std::uint32_t o1, std::uint64_t rows,
                             std::uint64_t run_bytes)
{
    AccessPattern pattern =
        contiguous(offset_by(offset_by(address, stride[0], o0), stride[1], o1), run_bytes);
    pattern.count[2] = rows;
    pattern.stride[2] = stride[2];
    return pattern;
}

/// Checks alignment: throws CommandFault if the address or a stride is not a multiple of the
/// element size of `type`. An address of 0 means that there is no tensor.
template <typename Stride, std::size_t count>
void need_aligned(std::uint64_t address, const Stride (&strides)[count], unsigned type,
                  std::size_t address_member, std::size_t stride_member)
{
    const std::uint64_t unit = alignment_of(type);
    need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
    for (std::size_t i = 0; address != 0 && i < count; ++i)
        need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                   stride_member + i * sizeof(Stride));
}

} // namespace levee
