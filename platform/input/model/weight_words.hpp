// SPDX-License-Identifier: Apache-2.0
// Types of a model's matrices, as commands and scenarios call them.
#pragma once

#include "core/abi/descriptor.h"

#include <array>
#include <utility>

namespace levee {

/// Types whose codes have scales: those of a shape.
inline constexpr std::array<std::pair<const char*, levee_type>, 3> weight_words{
    {{"int8", LEVEE_TYPE_INT8}, {"int4", LEVEE_TYPE_INT4}, {"int3", LEVEE_TYPE_INT3}}};

} // namespace levee
