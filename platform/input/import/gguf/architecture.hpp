// SPDX-License-Identifier: Apache-2.0
// A model's shape and positions, from the keys of a GGUF file.
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
    std::string name; ///< general.architecture, which is the prefix of the model's keys
    const Family* family = nullptr;
    ModelShape shape{};
    std::vector<std::uint32_t> phases{};
    std::vector<std::uint32_t> local_phases{}; ///< phases of local layers; empty: same as the
                                               ///< others
    Folds folds{};                             ///< constants that become part of the weights
    bool merges_norms = false;                 ///< two norms are merged into one, which also
                                               ///< changes matrices (merged_norms.hpp)
};

/// Throws ModelError with the key's name for an unknown architecture, a missing key, an unsupported
/// feature, and an unknown key that is not in `ignored_keys`. Unsupported are, for example, other
/// scalings of positions, and files that are not models. Adds notes on blocks that are left out, a
/// limited context and ignored keys.
Architecture read_architecture(const File& file, const std::vector<std::string>& ignored_keys,
                               std::vector<std::string>& notes);

} // namespace levee::gguf
