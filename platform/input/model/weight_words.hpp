// SPDX-License-Identifier: Apache-2.0
// The names of matrix types in commands and scenarios.
#pragma once

#include "core/abi/descriptor.h"

#include <array>
#include <utility>

namespace levee {

/// The types whose codes have scales, which a shape can have.
inline constexpr std::array<std::pair<const char*, levee_type>, 3> weight_words{
    {{"int8", LEVEE_TYPE_INT8}, {"int4", LEVEE_TYPE_INT4}, {"int3", LEVEE_TYPE_INT3}}};

} // namespace levee
