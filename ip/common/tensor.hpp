// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/descriptor.h"

#include <cstddef>
#include <cstdint>

namespace levee {

/// Bytes of `elements` contiguous elements of `type` (INT4: two per byte, rounded up); 0 for no
/// type.
[[nodiscard]] constexpr std::uint64_t bytes_of(std::uint64_t elements, unsigned type)
{
    switch (type) {
    case LEVEE_TYPE_INT4:
        return (elements + 1) / 2;
    case LEVEE_TYPE_INT8:
        return elements;
    case LEVEE_TYPE_INT16:
    case LEVEE_TYPE_FP16:
        return elements * 2;
    case LEVEE_TYPE_FP32:
    case LEVEE_TYPE_UINT32:
        return elements * 4;
    default:
        return 0;
    }
}

/// Alignment of a row's address and strides, in bytes.
[[nodiscard]] constexpr std::uint64_t alignment_of(unsigned type)
{
    const std::uint64_t bytes = bytes_of(1, type);
    return bytes > 0 ? bytes : 1;
}

/// Address of element (i, j) of a tensor with signed byte strides; wraps modulo 2^64.
[[nodiscard]] constexpr std::uint64_t offset_by(std::uint64_t address, std::int64_t stride,
                                                std::uint64_t index)
{
    return address + static_cast<std::uint64_t>(stride) * index;
}

} // namespace levee
