// SPDX-License-Identifier: Apache-2.0
// Whole files of bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace levee {

/// Both throw ModelError naming the path and the system's reason.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

/// Appends the bytes of a plain structure.
template <typename T> void append_object(std::vector<std::uint8_t>& bytes, const T& object)
{
    const auto* raw = reinterpret_cast<const std::uint8_t*>(&object);
    bytes.insert(bytes.end(), raw, raw + sizeof object);
}

} // namespace levee
