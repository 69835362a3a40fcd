// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee {

/// Returns the number with an SI prefix and at most four significant digits, such as "1.234 M".
[[nodiscard]] std::string si(double value, const char* unit);

} // namespace levee
