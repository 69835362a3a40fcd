// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace levee {

/// A parameter of a component as `describe` displays it and as price lists name it: its name, and
/// its value with its unit.
using Parameter = std::pair<std::string, std::string>;

} // namespace levee
