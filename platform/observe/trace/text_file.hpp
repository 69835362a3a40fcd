// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace levee::trace {

/// A file written from beginning to end, compressed if its name ends in ".gz". The same text gives
/// the same bytes.
class TextFile {
public:
    /// Throws std::runtime_error naming the file.
    explicit TextFile(std::filesystem::path path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void write(std::string_view text);
    /// Throws std::runtime_error if not all could be written.
    void close();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    void flush();

    std::filesystem::path path_;
    gzFile file_ = nullptr;
    std::string buffer_;
    bool failed_ = false;
};

} // namespace levee::trace
