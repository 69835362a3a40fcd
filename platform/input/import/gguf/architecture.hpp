// SPDX-License-Identifier: Apache-2.0
// What the keys of a GGUF file say about a model: its shape and its positions.
#pragma once

#include "platform/input/import/folds.hpp"
#include "platform/input/import/gguf/families.hpp"
#include "platform/input/import/gguf/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::gguf {

struct Architecture {
    std::string name; ///< general.architecture; its keys begin with it
    const Family* family = nullptr;
    ModelShape shape{};
    std::vector<std::uint32_t> phases{};
    std::vector<std::uint32_t> local_phases{}; ///< Phases of local layers; empty: same as the
                                               ///< others.
    Folds folds{};                             ///< constants that become part of the weights
    bool merges_norms = false;                 ///< Norms before matrices are merged, too.
};

/// Throws ModelError with the key's name for an unknown architecture, a missing key, an unsupported
/// feature (experts, other scaling of positions, files that are not models), or an unknown key that
/// is not to be ignored. Adds to `notes` features that are read without effect.
Architecture read_architecture(const File& file, const std::vector<std::string>& ignored_keys,
                               std::vector<std::string>& notes);

} // namespace levee::gguf
