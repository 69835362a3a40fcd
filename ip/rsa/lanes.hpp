// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::rsa {

/// Maximum number of rows, and of columns, of an array's RTL, for both dataflows.
inline constexpr std::uint32_t most_lanes = 32;

} // namespace levee::rsa
