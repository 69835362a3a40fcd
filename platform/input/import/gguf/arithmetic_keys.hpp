// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/families.hpp"
#include "platform/input/import/gguf/file.hpp"

namespace levee::gguf {

/// Refuses keys that change what a model computes and that its family does not have, unless they
/// have a value with which nothing changes. Throws ModelError.
void refuse_other_arithmetic(const File& file, const Family& family);

/// Adds a sentence to `notes` that names the architecture's keys that are neither read, nor
/// refused, nor known to change nothing, if there are any.
void note_unknown_keys(const File& file, const Family& family, std::vector<std::string>& notes);

} // namespace levee::gguf
