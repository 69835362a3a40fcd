// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee {

/// A number as text, with up to four significant digits and an SI prefix: "1.234 M".
[[nodiscard]] std::string si(double value, const char* unit);

} // namespace levee
