// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace levee::sweep {

/// XXH3 of the bytes, 64 bits.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

/// 16 digits.
[[nodiscard]] std::string hex(std::uint64_t value);

/// XXH3 of the bytes, 128 bits, as 32 digits.
[[nodiscard]] std::string content_hash(std::string_view bytes);

/// Hashes of files' contents, each read once.
class FileHashes {
public:
    /// Same as content_hash(). Throws std::runtime_error if the file cannot be read.
    const std::string& of(const std::filesystem::path& file);

private:
    std::map<std::filesystem::path, std::string> known_;
};

} // namespace levee::sweep
