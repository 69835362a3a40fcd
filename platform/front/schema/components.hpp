// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/front/schema/values.hpp"

namespace levee::schema {

/// Schemas for "$defs": one for each type of component ("type_rsa"), and for maps of components
/// ("memories" and "blocks"). "any_memories" and "any_blocks" also permit types from libraries.
[[nodiscard]] Json component_definitions(const Values& values);

/// Sets `memories` and `blocks` in the schema of `system`; its `components` adds types of
/// libraries.
void add_components(Json& system);

} // namespace levee::schema
