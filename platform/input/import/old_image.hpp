// SPDX-License-Identifier: Apache-2.0
// Images of before the file had a format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace levee {

/// Converts an image whose checksum does not cover its header to one whose checksum does. The
/// header is assumed to be intact, since nothing can verify it. Throws ModelError with the file's
/// name if it is not an image, is already current, or is damaged after the header.
std::vector<std::uint8_t> renewed_image(const std::filesystem::path& old);

} // namespace levee
