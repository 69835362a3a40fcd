// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/recording.hpp"

#include "core/config/regular_file.hpp"
#include "platform/observe/decisions/recording_format.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace levee {

namespace {

using namespace recording_format;

constexpr std::size_t buffer_bytes = 1 << 16;

} // namespace

Recording::Recording(std::filesystem::path path) : path_(std::move(path))
{
    open();
    check_whole();
    open();
    read_fingerprint();
}

void Recording::refuse(const std::string& why) const
{
    throw std::runtime_error(path_.string() + ": " + why);
}

/// Opens the file and skips its header.
void Recording::open()
{
    std::string why;
    const int descriptor = config::open_regular(path_, why);
    if (descriptor < 0)
        refuse(why + ", for recorded decisions");
    std::uint8_t head[sizeof magic + sizeof version];
    const ssize_t got = ::read(descriptor, head, sizeof head);
    std::uint32_t found = 0;
    std::memcpy(&found, head + sizeof magic, sizeof found);
    const bool is_one =
        got == static_cast<ssize_t>(sizeof head) && std::memcmp(head, magic, sizeof magic) == 0;
    if (is_one && found == version)
        file_.reset(gzdopen(descriptor, "rb"));
    if (file_ == nullptr)
        ::close(descriptor);
    if (!is_one)
        refuse(
            "is not a recording of decisions; expected a file of 'levee run --record-decisions'");
    if (found != version)
        refuse("is a recording of version " + std::to_string(found) + "; expected version " +
               std::to_string(version) + ": record it again");
    if (file_ == nullptr)
        refuse("cannot be read: there is not enough memory");
    buffer_.clear();
    at_ = 0;
}

/// Reads the whole file, up to the checksum at its end, before any content is used. Stops at the
/// first error, since a few bytes of a damaged file may expand to very many.
void Recording::check_whole()
{
    bool is_whole = false;
    try {
        read_fingerprint();
        for (Record record; next(record);)
            continue;
        std::uint8_t more = 0;
        const int behind = at_ < buffer_.size() ? 1 : gzread(file_.get(), &more, 1);
        int code = Z_OK;
        (void)gzerror(file_.get(), &code);
        is_whole =
            behind == 0 && gzdirect(file_.get()) == 0 && (code == Z_OK || code == Z_STREAM_END);
    } catch (const std::runtime_error&) { // the message below replaces this one
        is_whole = false;
    } catch (const std::bad_alloc&) {
        refuse("there is not enough memory to read it");
    }
    if (!is_whole)
        refuse(
            "is damaged or incomplete; record it again, because the run may have been cut short");
    fingerprint_.clear();
    names_.clear();
    records_ = 0;
    ended_ = false;
}

void Recording::read_fingerprint()
{
    const std::uint64_t count = take_at_most(most_names);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string name = take_text();
        fingerprint_.push_back({std::move(name), take_text()});
    }
}

void Recording::check(const Fingerprint& run) const
{
    const auto find = [](const Fingerprint& in, const FingerprintLine& line) {
        const auto found = std::ranges::find(in, line.name, &FingerprintLine::name);
        return found != in.end() ? found->value : line.otherwise;
    };
    const auto compare = [&](const Fingerprint& lines) {
        for (const FingerprintLine& line : lines) {
            const std::string recorded = find(fingerprint_, line), here = find(run, line);
            if (recorded != here)
                refuse("was recorded by another run: " + line.name + " is " + recorded +
                       " in the recording, but " + here + " in this run");
        }
    };
    compare(run);
    compare(fingerprint_);
}

const std::string* Recording::find(const std::string& name) const
{
    const auto line = std::ranges::find(fingerprint_, name, &FingerprintLine::name);
    return line != fingerprint_.end() ? &line->value : nullptr;
}

const std::string& Recording::value(const std::string& name) const
{
    if (const std::string* const found = find(name))
        return *found;
    refuse("does not record " + name);
}

const Decision& Recording::decision(const std::string& block, std::uint64_t operation)
{
    std::deque<Record>& mine = ahead_[block];
    while (!mine.empty() && mine.front().operation < operation)
        mine.pop_front();
    while (mine.empty()) {
        Record record;
        if (!next(record))
            refuse("has no decision of " + block + "'s operation " + std::to_string(operation) +
                   ": it was recorded by another run");
        if (record.block != block || record.operation >= operation)
            ahead_[record.block].push_back(std::move(record));
    }
    if (mine.front().operation != operation)
        refuse("has no decision of " + block + "'s operation " + std::to_string(operation) +
               ", but one of its operation " + std::to_string(mine.front().operation) +
               ": it was recorded by another run");
    return mine.front().decision;
}

bool Recording::next(Record& record)
{
    if (ended_)
        return false;
    if (take() == end) {
        ended_ = true;
        if (take() != records_)
            refuse("is damaged: its number of records is wrong");
        return false;
    }
    const std::uint64_t number = take_at_most(most_names);
    if (number > names_.size())
        refuse("is damaged: a record names an unknown block");
    if (number == names_.size())
        names_.push_back(take_text());
    record.block = names_[number];
    record.operation = take();
    record.decision.descriptor = take();
    record.decision.writes.clear();
    for (std::uint64_t writes = take_at_most(most_writes); writes > 0; --writes)
        take_write(record.decision.writes.emplace_back()); // added one by one, since the count in a
                                                           // damaged file may be huge
    ++records_;
    return true;
}

void Recording::take_write(Decision::Write& write)
{
    write.iteration = static_cast<std::uint32_t>(take_at_most(UINT32_MAX));
    write.what = static_cast<std::uint8_t>(take_at_most(UINT8_MAX));
    const std::uint64_t shape = take();
    AccessPattern& pattern = write.pattern;
    pattern.scattered = (shape & scattered) != 0;
    pattern.address = take();
    pattern.run_bytes = take_at_most(most_bytes);
    if ((shape & strided) != 0)
        for (std::size_t i = 0; i < pattern.count.size(); ++i) {
            pattern.count[i] = take_at_most(most_bytes);
            pattern.stride[i] = static_cast<std::int64_t>(take());
        }
    if ((shape & discarded) != 0)
        return;
    std::uint64_t bytes = pattern.run_bytes;
    for (const std::uint64_t count : pattern.count)
        if ((bytes *= count) > most_bytes)
            refuse("is damaged: a decision is too long");
    write.bytes.resize(bytes);
    take_bytes(write.bytes.data(), bytes);
}

std::uint8_t Recording::take_byte()
{
    if (at_ == buffer_.size()) {
        buffer_.resize(buffer_bytes);
        const int got = gzread(file_.get(), buffer_.data(), buffer_bytes);
        if (got <= 0)
            refuse("is damaged: it ends within a record");
        buffer_.resize(static_cast<std::size_t>(got));
        at_ = 0;
    }
    return buffer_[at_++];
}

std::uint64_t Recording::take()
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint8_t byte = take_byte();
        value |= std::uint64_t{byte & 0x7Fu} << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    refuse("is damaged: a number is too long");
}

std::uint64_t Recording::take_at_most(std::uint64_t most)
{
    const std::uint64_t value = take();
    if (value > most)
        refuse("is damaged: " + std::to_string(value) + " exceeds the maximum: at most " +
               std::to_string(most) + " of");
    return value;
}

void Recording::take_bytes(void* into, std::size_t bytes)
{
    auto* at = static_cast<std::uint8_t*>(into);
    while (bytes > 0) {
        *at++ = take_byte();
        const std::size_t more = std::min(bytes - 1, buffer_.size() - at_);
        std::memcpy(at, buffer_.data() + at_, more);
        at += more;
        at_ += more;
        bytes -= more + 1;
    }
}

std::string Recording::take_text()
{
    std::string text(take_at_most(most_text), '\0');
    take_bytes(text.data(), text.size());
    return text;
}

} // namespace levee
