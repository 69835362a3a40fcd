// SPDX-License-Identifier: Apache-2.0
// A model's name, as the header of its image holds it.
#pragma once

#include "core/abi/model_image.h"

#include <cstddef>
#include <optional>
#include <string>

namespace levee {

inline constexpr std::size_t longest_model_name = sizeof levee_model_header::name - 1; // bytes

/// Name taken from a file or folder, with control characters replaced by blanks, since a terminal
/// would obey them. A name that is too long for an image is cut between characters and ends with ~
/// and four digits of a checksum, so that different names stay different.
std::string model_name_of(std::string text);

/// A sentence on a name that was cut; nothing if it was not.
std::optional<std::string> note_on_name(const std::string& text);

/// Throws ModelError ("<place>: ...") for a name that is too long.
void check_model_name(const std::string& name, const std::string& place);

} // namespace levee
