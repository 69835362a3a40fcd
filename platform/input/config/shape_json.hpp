// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <filesystem>

namespace levee::config {

/// A Hugging Face config.json as the map that 'model.shape' is, each value placed at the file. An
/// Error at `referrer` names file and key.
[[nodiscard]] Node shape_of_json(const std::filesystem::path& file, const Place& referrer);

} // namespace levee::config
