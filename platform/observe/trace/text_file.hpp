// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace levee::trace {

/// A file written sequentially, compressed if its name ends in ".gz". Equal text gives equal bytes,
/// compressed ones on processors of the same kind.
class TextFile {
public:
    /// Throws std::runtime_error, naming the file, if it cannot be created.
    explicit TextFile(std::filesystem::path path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void write(std::string_view text);
    /// Throws std::runtime_error if the file could not be written completely.
    void close();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    class Gzip;

    void flush(bool last);

    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::unique_ptr<Gzip> gzip_; ///< null: as it is
    std::string buffer_;
    bool failed_ = false;
};

} // namespace levee::trace
