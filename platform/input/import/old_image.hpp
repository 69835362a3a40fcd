// SPDX-License-Identifier: Apache-2.0
// Converts images that were written before the file had a format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace levee {

/// Converts an image whose checksum does not cover its header to one whose checksum does. Damage to
/// the header may stay unnoticed. Throws ModelError with the file's name if the file is not an
/// image, is already current, or is damaged after the header.
std::vector<std::uint8_t> renewed_image(const std::filesystem::path& old);

} // namespace levee
