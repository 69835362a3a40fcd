// SPDX-License-Identifier: Apache-2.0
// Text of a Jinja template.
#pragma once

#include "platform/input/import/jinja/value.hpp"

#include <string>
#include <string_view>

namespace levee::jinja {

/// Renders a template with these variables, as transformers' apply_chat_template() does. Dates are
/// written as their format strings. Throws Unable for templates that use unsupported features or
/// take too many steps, and Raised for a template that ends with an error.
std::string render(std::string_view text, const Map& variables);

} // namespace levee::jinja
