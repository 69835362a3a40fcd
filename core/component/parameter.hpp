// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace levee {

/// A parameter of a component, as `describe` shows it and price lists use it: its name, and its
/// value with the unit.
using Parameter = std::pair<std::string, std::string>;

} // namespace levee
