// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/element_type.h"

#include <iterator>

namespace levee {

inline constexpr const char* element_type_names[] = {LEVEE_TYPE_NAMES};
static_assert(std::size(element_type_names) == LEVEE_TYPE_INT3 + 1);

} // namespace levee
