// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/keys.hpp"

namespace levee::dma {

inline constexpr config::Key keys[] = {
    clock_key,
    config::count32("bytes_per_cycle", "Bytes that the engine moves per cycle.", {1}),
};

} // namespace levee::dma
