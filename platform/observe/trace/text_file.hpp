// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/trace/repeat.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace levee::trace {

/// A file that is written from front to back, and compressed if its name ends in ".gz". Equal text
/// gives equal files; if compressed, only on processors of the same kind.
class TextFile {
public:
    /// Throws std::runtime_error, naming the file, if it cannot be created.
    explicit TextFile(std::filesystem::path path);
    ~TextFile();
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    void write(std::string_view text);
    /// Returns a buffer for at least this many characters. The caller writes text into it and then
    /// calls add(). This saves a copy.
    [[nodiscard]] char* room(std::size_t bytes)
    {
        if (buffer_.size() - used_ < bytes)
            buffer_.resize(used_ + bytes);
        return buffer_.data() + used_;
    }
    /// Returns the position of the next character in the file's uncompressed text.
    [[nodiscard]] std::uint64_t position() const { return flushed_ + used_; }
    /// Tells the compressor that the `length` characters from position `from` equal those from
    /// position `source`. They may be written after this call. A wrong hint does no harm. Hints
    /// must be in order and must not overlap.
    void repeats(std::uint64_t from, std::size_t length, std::uint64_t source)
    {
        const std::uint64_t distance = from - source;
        if (source < flushed_ || distance > Repeat::most_distance ||
            length - Repeat::least_length > Repeat::most_length - Repeat::least_length)
            return;
        repeats_.push_back({static_cast<std::uint32_t>(from - flushed_),
                            static_cast<std::uint16_t>(length),
                            static_cast<std::uint16_t>(distance)});
        repeated_ += length;
    }
    /// Adds the text from the start of the latest room() to `end`.
    void add(const char* end)
    {
        used_ = static_cast<std::size_t>(end - buffer_.data());
        if (used_ >= flushed_bytes)
            flush();
    }
    /// Throws std::runtime_error if the file could not be written completely.
    void close();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    class Gzip;
    static constexpr std::size_t flushed_bytes = 1 << 18;

    [[nodiscard]] bool mostly_repeats() const;
    void flush();

    std::filesystem::path path_;
    std::FILE* file_ = nullptr;
    std::unique_ptr<Gzip> gzip_; ///< null: not compressed
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    std::uint64_t flushed_ = 0;
    std::vector<Repeat> repeats_;
    std::size_t repeated_ = 0;
    bool failed_ = false;
};

} // namespace levee::trace
