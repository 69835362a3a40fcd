// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// More layers than any model has. It is checked before anything is allocated for each layer.
inline constexpr std::uint32_t most_layers = 4096;

} // namespace levee
