// SPDX-License-Identifier: Apache-2.0
// Text of a Jinja template.
#pragma once

#include "platform/input/import/jinja/value.hpp"

#include <string>
#include <string_view>

namespace levee::jinja {

/// Renders a template as transformers' apply_chat_template() does, with these variables. Dates are
/// written as their format. Throws Unable for what this interpreter does not know, and for more
/// work than a chat template needs; Raised for a template that ends with an error.
std::string render(std::string_view text, const Map& variables);

} // namespace levee::jinja
