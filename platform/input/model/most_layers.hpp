// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// Greatest number of layers. It is checked before memory is allocated for each layer.
inline constexpr std::uint32_t most_layers = 4096;

} // namespace levee
