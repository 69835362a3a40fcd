// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/front/schema/values.hpp"

namespace levee::schema {

/// Schemas of the program's types of components, for "$defs": "type_rsa", and of maps of them,
/// "memories" and "blocks", with types of libraries too in "any_memories" and "any_blocks".
[[nodiscard]] Json component_definitions(const Values& values);

/// Sets `memories` and `blocks` in the schema of `system`, whose `components` lets in types of
/// libraries.
void add_components(Json& system);

} // namespace levee::schema
