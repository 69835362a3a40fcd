// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/families.hpp"
#include "platform/input/import/gguf/file.hpp"

namespace levee::gguf {

/// Throws ModelError for a key that changes a model's computation and is not one of its family's
/// keys, unless its value is neutral.
void refuse_other_arithmetic(const File& file, const Family& family);

/// Throws ModelError for the architecture's keys that are neither read, nor checked by
/// refuse_other_arithmetic(), nor known to be harmless. Keys in `ignored` are accepted and named in
/// `notes`.
void refuse_unknown_keys(const File& file, const Family& family,
                         const std::vector<std::string>& ignored, std::vector<std::string>& notes);

} // namespace levee::gguf
