// SPDX-License-Identifier: Apache-2.0
// A model's name, as the header of its image holds it.
#pragma once

#include "ip/common/model_image.h"

#include <cstddef>
#include <string>

namespace levee {

inline constexpr std::size_t longest_model_name = sizeof levee_model_header::name - 1; // bytes

/// A name out of a file or of a folder, as much of it as an image holds: cut between characters,
/// with blanks for control characters, which a terminal would obey.
std::string model_name_of(std::string text);

/// Throws ModelError ("<place>: ...") for one that is too long.
void check_model_name(const std::string& name, const std::string& place);

} // namespace levee
