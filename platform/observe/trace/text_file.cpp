// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/text_file.hpp"

#include "core/config/output_file.hpp"
#include "platform/observe/trace/repeat_deflate.hpp"

#include <algorithm>
#include <array>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <span>
#include <stdexcept>
#include <vector>

namespace levee::trace {

namespace {

constexpr std::size_t compressed_bytes = 1 << 18;

bool put(std::FILE* file, const void* bytes, std::size_t size)
{
    return std::fwrite(bytes, 1, size, file) == size;
}

} // namespace

/// Compresses to gzip format (RFC 1952) with ISA-L. It takes an eighth of the time of zlib's
/// fastest level, for about the same size. For text with known repeats, RepeatDeflate is faster
/// still.
class TextFile::Gzip {
public:
    Gzip() : level_(ISAL_DEF_LVL1_DEFAULT), out_(compressed_bytes)
    {
        isal_deflate_init(&stream_);
        stream_.gzip_flag = IGZIP_DEFLATE;
        stream_.level = 1;
        stream_.level_buf = level_.data();
        stream_.level_buf_size = static_cast<std::uint32_t>(level_.size());
    }

    /// Each function returns false if not all bytes could be written.
    static bool begin(std::FILE* file)
    {
        constexpr std::array<std::uint8_t, 10> header{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF};
        return put(file, header.data(), header.size());
    }
    bool write(std::FILE* file, std::span<char> text, std::span<const Repeat> repeats)
    {
        bytes_ += static_cast<std::uint32_t>(text.size());
        crc_ =
            crc32_gzip_refl(crc_, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        if (repeats.empty())
            return deflate(file, text, NO_FLUSH);
        // RepeatDeflate writes the next blocks, which ISA-L does not see. Without a full flush,
        // ISA-L's later output would refer to earlier text at a distance that does not include
        // these blocks.
        const bool done = deflate(file, {}, FULL_FLUSH);
        const auto blocks = repeating_.compress(text, repeats);
        return put(file, blocks.data(), blocks.size()) && done;
    }
    bool end(std::FILE* file)
    {
        stream_.end_of_stream = 1;
        const std::array<std::uint32_t, 2> trailer{crc_, bytes_};
        return deflate(file, {}, NO_FLUSH) && put(file, trailer.data(), sizeof trailer);
    }

private:
    bool deflate(std::FILE* file, std::span<char> text, std::uint16_t flush)
    {
        stream_.next_in = reinterpret_cast<std::uint8_t*>(text.data());
        stream_.avail_in = static_cast<std::uint32_t>(text.size());
        stream_.flush = flush;
        bool done = true;
        do {
            stream_.next_out = out_.data();
            stream_.avail_out = static_cast<std::uint32_t>(out_.size());
            done = isal_deflate(&stream_) == COMP_OK && done;
            done = put(file, out_.data(), out_.size() - stream_.avail_out) && done;
        } while (done && stream_.avail_out == 0);
        return done;
    }

    isal_zstream stream_{};
    std::vector<std::uint8_t> level_, out_;
    RepeatDeflate repeating_;
    std::uint32_t crc_ = 0, bytes_ = 0;
};

TextFile::TextFile(std::filesystem::path path) : path_(std::move(path))
{
    file_ = ::fdopen(config::open_new_output(path_, {.named = true}), "wb");
    if (file_ == nullptr)
        throw std::runtime_error(path_.string() + ": there is not enough memory to write it");
    if (path_.extension() == ".gz") {
        gzip_ = std::make_unique<Gzip>();
        failed_ = !Gzip::begin(file_);
    }
    constexpr std::size_t longest_event =
        1 << 12; // room for the longest usual event, so that the buffer seldom grows
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

/// Returns true if nearly all text is in known repeats. Otherwise ISA-L's own search finds
/// more.
bool TextFile::mostly_repeats() const
{
    return repeated_ >= used_ - used_ / 8;
}

void TextFile::flush()
{
    const std::span<char> text(buffer_.data(), used_);
    const std::span<const Repeat> repeats(repeats_.data(), mostly_repeats() ? repeats_.size() : 0);
    const bool done =
        gzip_ ? gzip_->write(file_, text, repeats) : put(file_, text.data(), text.size());
    failed_ = failed_ || !done;
    flushed_ += used_;
    used_ = 0;
    repeats_.clear();
    repeated_ = 0;
}

void TextFile::close()
{
    flush();
    if (gzip_ && !gzip_->end(file_))
        failed_ = true;
    if (std::fclose(file_) != 0)
        failed_ = true;
    file_ = nullptr;
    if (failed_)
        throw std::runtime_error(path_.string() + ": not all of the trace could be written");
}

} // namespace levee::trace
