// SPDX-License-Identifier: Apache-2.0
// What keys of a GGUF file say of a model: its shape and its positions.
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
    std::vector<std::uint32_t> local_phases{}; ///< of local layers; empty: the same
    Folds folds{};                             ///< constants that become part of the weights
    bool merges_norms = false;                 ///< those before matrices do, too
};

/// Throws ModelError naming the key: an architecture that is not known, a key that is absent, and
/// whatever keys say that is not modelled (experts, other position scaling, a part that is no
/// model), a key that is not known and not to be ignored. Adds to `notes` what is read but does not
/// count.
Architecture read_architecture(const File& file, const std::vector<std::string>& ignored_keys,
                               std::vector<std::string>& notes);

} // namespace levee::gguf
