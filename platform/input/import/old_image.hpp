// SPDX-License-Identifier: Apache-2.0
// Images of before the file had a format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace levee {

/// An image whose checksum leaves the header out, with one that covers it, and else the same. Its
/// header is taken for what was written: nothing shows which. Throws ModelError naming the file, if
/// it is no image, one of today's, or damaged behind the header.
std::vector<std::uint8_t> renewed_image(const std::filesystem::path& old);

} // namespace levee
