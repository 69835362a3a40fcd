// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"

#include <cstddef>
#include <cstdint>

namespace levee {

/// Bits of an element of `type`; 0 if there is no such type.
[[nodiscard]] constexpr std::uint64_t bits_of_type(unsigned type)
{
    switch (type) {
    case LEVEE_TYPE_INT3:
        return 3;
    case LEVEE_TYPE_INT4:
        return 4;
    case LEVEE_TYPE_INT8:
        return 8;
    case LEVEE_TYPE_INT16:
    case LEVEE_TYPE_FP16:
        return 16;
    case LEVEE_TYPE_FP32:
    case LEVEE_TYPE_UINT32:
        return 32;
    default:
        return 0;
    }
}

/// Bytes of `elements` contiguous elements of `type`, rounded up; 0 for no type.
[[nodiscard]] constexpr std::uint64_t bytes_of(std::uint64_t elements, unsigned type)
{
    return (elements * bits_of_type(type) + 7) / 8;
}

/// Whether weights of `type` are codes with scales.
[[nodiscard]] constexpr bool is_weight_code(unsigned type)
{
    return type == LEVEE_TYPE_INT8 || type == LEVEE_TYPE_INT4 || type == LEVEE_TYPE_INT3;
}

/// Required alignment of a row's address and strides, in bytes.
[[nodiscard]] constexpr std::uint64_t alignment_of(unsigned type)
{
    const std::uint64_t bytes = bytes_of(1, type);
    return bytes > 0 ? bytes : 1;
}

/// Returns the address of element `index` in a dimension with signed byte stride `stride`. The
/// address wraps modulo 2^64.
[[nodiscard]] constexpr std::uint64_t offset_by(std::uint64_t address, std::int64_t stride,
                                                std::uint64_t index)
{
    return address + static_cast<std::uint64_t>(stride) * index;
}

} // namespace levee
