// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <isa-l/igzip_lib.h>
#include <span>
#include <stdexcept>
#include <vector>

namespace levee::trace {

namespace {

constexpr std::size_t compressed_bytes = 1 << 18;

/// False if not all of the bytes could be written.
bool put(std::FILE* file, const void* bytes, std::size_t size)
{
    return std::fwrite(bytes, 1, size, file) == size;
}

} // namespace

/// Gzip by ISA-L: with the size that zlib's fastest level has, in an eighth of its time.
class TextFile::Gzip {
public:
    Gzip() : level_(ISAL_DEF_LVL1_DEFAULT), out_(compressed_bytes)
    {
        isal_deflate_init(&stream_);
        stream_.gzip_flag = IGZIP_GZIP;
        stream_.level = 1;
        stream_.level_buf = level_.data();
        stream_.level_buf_size = static_cast<std::uint32_t>(level_.size());
    }

    /// False if not all of it could be written.
    bool write(std::FILE* file, std::span<char> text, bool last)
    {
        stream_.next_in = reinterpret_cast<std::uint8_t*>(text.data());
        stream_.avail_in = static_cast<std::uint32_t>(text.size());
        stream_.end_of_stream = last ? 1 : 0;
        bool done = true;
        do {
            stream_.next_out = out_.data();
            stream_.avail_out = static_cast<std::uint32_t>(out_.size());
            done = isal_deflate(&stream_) == COMP_OK && done;
            done = put(file, out_.data(), out_.size() - stream_.avail_out) && done;
        } while (done && stream_.avail_out == 0);
        return done;
    }

private:
    isal_zstream stream_{};
    std::vector<std::uint8_t> level_, out_;
};

TextFile::TextFile(std::filesystem::path path) : path_(std::move(path))
{
    file_ = std::fopen(path_.c_str(), "wb");
    if (file_ == nullptr)
        throw std::runtime_error(path_.string() +
                                 ": cannot be written, for a trace: " + std::strerror(errno));
    if (path_.extension() == ".gz")
        gzip_ = std::make_unique<Gzip>();
    constexpr std::size_t longest_event = 1 << 12; // that needs no larger buffer
    buffer_.resize(flushed_bytes + longest_event);
}

TextFile::~TextFile()
{
    if (file_ != nullptr)
        std::fclose(file_);
}

void TextFile::write(std::string_view text)
{
    add(std::copy(text.begin(), text.end(), room(text.size())));
}

void TextFile::flush(bool last)
{
    const std::span<char> text(buffer_.data(), used_);
    const bool done =
        gzip_ ? gzip_->write(file_, text, last) : put(file_, text.data(), text.size());
    failed_ = failed_ || !done;
    used_ = 0;
}

void TextFile::close()
{
    flush(true);
    if (std::fclose(file_) != 0)
        failed_ = true;
    file_ = nullptr;
    if (failed_)
        throw std::runtime_error(path_.string() + ": not all of the trace could be written");
}

} // namespace levee::trace
