// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

namespace levee {

/// Stores `count` bytes, lowest first, in a port of a Verilated design that has as many, rounded up
/// to what Verilator stores it in; what is above them becomes 0.
template <typename Port> void store_bytes(Port& port, const void* bytes, std::size_t count)
{
    auto* const to = reinterpret_cast<unsigned char*>(&port);
    std::memcpy(to, bytes, count);
    std::memset(to + count, 0, sizeof port - count);
}

} // namespace levee
