// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace levee::trace {

namespace {
constexpr std::size_t buffer_bytes = 1 << 18;
} // namespace

TextFile::TextFile(std::filesystem::path path) : path_(std::move(path))
{
    // Level 3 takes a quarter of the default's time for a tenth more bytes. T: write uncompressed.
    file_ = gzopen(path_.c_str(), path_.extension() == ".gz" ? "wb3" : "wbT");
    if (file_ == nullptr)
        throw std::runtime_error(path_.string() +
                                 ": cannot be written, for a trace: " + std::strerror(errno));
    buffer_.reserve(buffer_bytes);
}

TextFile::~TextFile()
{
    if (file_ != nullptr)
        gzclose(file_);
}

void TextFile::write(std::string_view text)
{
    buffer_ += text;
    if (buffer_.size() >= buffer_bytes)
        flush();
}

void TextFile::flush()
{
    if (!buffer_.empty() && gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) !=
                                static_cast<int>(buffer_.size()))
        failed_ = true;
    buffer_.clear();
}

void TextFile::close()
{
    flush();
    if (gzclose(file_) != Z_OK)
        failed_ = true;
    file_ = nullptr;
    if (failed_)
        throw std::runtime_error(path_.string() + ": not all of the trace could be written");
}

} // namespace levee::trace
