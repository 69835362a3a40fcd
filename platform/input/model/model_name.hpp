// SPDX-License-Identifier: Apache-2.0
// The name of a model, as the header of its image stores it.
#pragma once

#include "core/abi/model_image.h"

#include <cstddef>
#include <optional>
#include <string>

namespace levee {

inline constexpr std::size_t longest_model_name = sizeof levee_model_header::name - 1; // bytes

/// Makes a model's name from the name of a file or folder. The text ends at its first zero byte.
/// Control characters, which a terminal would obey, become blanks. A name that is too long for an
/// image is cut between characters. It then ends with ~ and four hexadecimal digits of a hash, so
/// that different names rarely become equal.
std::string model_name_of(std::string text);

/// Returns a sentence that says that the name was cut; nothing if it was not cut.
std::optional<std::string> note_on_name(const std::string& text);

/// Throws ModelError ("<place>: ...") for a name that is too long.
void check_model_name(const std::string& name, const std::string& place);

} // namespace levee
