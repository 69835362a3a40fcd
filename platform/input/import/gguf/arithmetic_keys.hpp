// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/gguf/families.hpp"
#include "platform/input/import/gguf/file.hpp"

namespace levee::gguf {

/// Refuses keys that change a model's computation and do not belong to its family, unless their
/// value is neutral. Throws ModelError.
void refuse_other_arithmetic(const File& file, const Family& family);

/// Refuses keys of the architecture that are neither read, nor refused above, nor known to be
/// harmless. Keys in `ignored` are accepted and named in `notes`. Throws ModelError.
void refuse_unknown_keys(const File& file, const Family& family,
                         const std::vector<std::string>& ignored, std::vector<std::string>& notes);

} // namespace levee::gguf
