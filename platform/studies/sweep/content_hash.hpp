// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace levee::sweep {

/// Returns the 64-bit XXH3 of the bytes.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

/// Returns the value as 16 hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t value);

/// Returns the 128-bit XXH3 of the bytes, as 32 hexadecimal digits.
[[nodiscard]] std::string content_hash(std::string_view bytes);

/// Hashes of files' contents. Each file is read once.
class FileHashes {
public:
    /// Returns the file's content_hash(). Throws std::runtime_error if the file cannot be read.
    const std::string& of(const std::filesystem::path& file);
    /// Returns the files that were read.
    [[nodiscard]] std::vector<std::filesystem::path> files() const;

private:
    std::map<std::filesystem::path, std::string> known_;
};

} // namespace levee::sweep
