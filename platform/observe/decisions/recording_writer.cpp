// SPDX-License-Identifier: Apache-2.0
#include "core/config/output_file.hpp"
#include "platform/observe/decisions/recording.hpp"
#include "platform/observe/decisions/recording_format.hpp"

#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace levee {

namespace {

using namespace recording_format;

constexpr std::size_t buffer_bytes = 1 << 16;

} // namespace

RecordingWriter::RecordingWriter(std::filesystem::path path, const Fingerprint& fingerprint)
    : path_(std::move(path)), unfinished_(path_.string() + ".unfinished")
{
    if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_))
        throw std::runtime_error(path_.string() +
                                 ": decisions cannot be recorded here; expected a regular file");
    descriptor_ = config::open_new_output(unfinished_);
    std::uint8_t head[sizeof magic + sizeof version];
    std::memcpy(head, magic, sizeof magic);
    std::memcpy(head + sizeof magic, &version, sizeof version);
    failed_ = ::write(descriptor_, head, sizeof head) != static_cast<ssize_t>(sizeof head);
    file_ = gzdopen(descriptor_, "wb3");
    if (file_ == nullptr) {
        ::close(descriptor_);
        throw std::runtime_error(path_.string() +
                                 ": there is not enough memory to compress decisions");
    }
    put(fingerprint.size());
    for (const auto& [name, value, otherwise] : fingerprint) {
        put(name);
        put(value);
    }
}

RecordingWriter::~RecordingWriter()
{
    if (file_ == nullptr)
        return;
    std::error_code ignored; // the file is removed before gzclose releases its lock
    std::filesystem::remove(unfinished_, ignored);
    gzclose(file_);
}

void RecordingWriter::decided(const std::string& block, std::uint64_t operation,
                              const Decision& decision)
{
    const auto [found, is_new] = blocks_.try_emplace(block, Last{{}, operation, {}});
    Last& last = found->second;
    if (is_new) {
        last.decision = decision;
        return;
    }
    if (last.operation == operation) {
        last.decision.writes.insert(last.decision.writes.end(), decision.writes.begin(),
                                    decision.writes.end());
        return;
    }
    put(block, last);
    last.operation = operation;
    last.decision = decision;
}

void RecordingWriter::close()
{
    for (auto& [name, last] : blocks_)
        put(name, last);
    put(std::uint64_t{end});
    put(records_);
    flush();
    const int held =
        ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); // keeps the file locked until it has been renamed
    if (gzclose(file_) != Z_OK)
        failed_ = true;
    file_ = nullptr;
    std::error_code refused;
    if (failed_)
        std::filesystem::remove(unfinished_, refused);
    else
        std::filesystem::rename(unfinished_, path_, refused);
    ::close(held);
    if (failed_ || refused)
        throw std::runtime_error(path_.string() + ": not all decisions could be written");
}

void RecordingWriter::put(std::uint64_t value)
{
    while (value >= 0x80) {
        buffer_.push_back(static_cast<std::uint8_t>(value | 0x80));
        value >>= 7;
    }
    buffer_.push_back(static_cast<std::uint8_t>(value));
    if (buffer_.size() >= buffer_bytes)
        flush();
}

void RecordingWriter::put(const std::string& text)
{
    put(text.size());
    buffer_.insert(buffer_.end(), text.begin(), text.end());
}

void RecordingWriter::put(const std::string& name, Last& last)
{
    put(std::uint64_t{record});
    if (last.number)
        put(*last.number);
    else {
        last.number = named_++;
        put(*last.number);
        put(name);
    }
    put(last.operation);
    put(last.decision.descriptor);
    put(last.decision.writes.size());
    for (const Decision::Write& write : last.decision.writes)
        put(write);
    ++records_;
}

void RecordingWriter::put(const Decision::Write& write)
{
    const AccessPattern& pattern = write.pattern;
    const bool is_strided = pattern.runs() != 1;
    put(write.iteration);
    put(std::uint64_t{write.what});
    std::uint64_t shape = 0;
    if (is_strided)
        shape |= strided;
    if (write.bytes.empty())
        shape |= discarded;
    if (pattern.scattered)
        shape |= scattered;
    put(shape);
    put(pattern.address);
    put(pattern.run_bytes);
    if (is_strided)
        for (std::size_t i = 0; i < pattern.count.size(); ++i) {
            put(pattern.count[i]);
            put(static_cast<std::uint64_t>(pattern.stride[i]));
        }
    buffer_.insert(buffer_.end(), write.bytes.begin(), write.bytes.end());
}

void RecordingWriter::flush()
{
    if (!buffer_.empty() && gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) !=
                                static_cast<int>(buffer_.size()))
        failed_ = true;
    buffer_.clear();
}

} // namespace levee
