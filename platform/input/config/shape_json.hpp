// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"

#include <filesystem>

namespace levee::config {

/// Reads a Hugging Face config.json as a map like `model.shape`. Each value's place is the file,
/// without a line. Errors name `referrer`, the file and the key.
[[nodiscard]] Node shape_of_json(const std::filesystem::path& file, const Place& referrer);

} // namespace levee::config
