// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/front/schema/values.hpp"

namespace levee::schema {

/// Returns schemas for "$defs": one for each type of component, such as "type_rsa", and "memories"
/// and "blocks" for maps of components. "any_memories" and "any_blocks" also allow types from
/// libraries.
[[nodiscard]] Json component_definitions(const Values& values);

/// Adds `memories` and `blocks` to the schema of `system`. If `components` names libraries, their
/// types are allowed too.
void add_components(Json& system);

} // namespace levee::schema
