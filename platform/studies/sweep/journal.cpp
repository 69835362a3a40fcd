// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/journal.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"
#include "platform/studies/sweep/content_hash.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace levee::sweep {

namespace {

constexpr std::size_t checksum_digits = 16;

/// Returns the position of the end of the last complete line.
std::int64_t end_of_lines(const std::filesystem::path& file)
{
    std::ifstream stream = config::regular_stream(file);
    std::int64_t end = 0, at = 0;
    std::string block(1 << 16, '\0');
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())),
           stream.gcount() > 0) {
        const auto got = static_cast<std::size_t>(stream.gcount());
        const std::size_t last = std::string_view(block).substr(0, got).rfind('\n');
        if (last != std::string_view::npos)
            end = at + static_cast<std::int64_t>(last) + 1;
        at += static_cast<std::int64_t>(got);
    }
    return end;
}

/// Calls `use` for each complete line from the position `from` on, and sets `from` to the end of
/// the last one. A line longer than any record is cut.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(const std::string& line)>& use, std::uint64_t& from)
{
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    constexpr std::uintmax_t most_file_bytes = std::uintmax_t{4} << 30;
    std::error_code none_there;
    const std::uintmax_t size = std::filesystem::file_size(file, none_there);
    if (!none_there && size > most_file_bytes)
        throw std::runtime_error(file.string() + ": has " + std::to_string(size) +
                                 " bytes; expected at most " + std::to_string(most_file_bytes));
    std::ifstream stream = config::regular_stream(file);
    stream.seekg(static_cast<std::streamoff>(from));
    std::uint64_t unfinished = 0;
    std::string line, block(1 << 16, '\0');
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())),
           stream.gcount() > 0) {
        std::string_view rest(block.data(), static_cast<std::size_t>(stream.gcount()));
        for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
            line += rest.substr(0, end);
            from += std::exchange(unfinished, 0) + end + 1;
            use(line);
            line.clear();
            rest.remove_prefix(end + 1);
        }
        unfinished += rest.size();
        line += rest.substr(0, most_bytes - std::min(most_bytes, line.size()));
    }
}

/// Makes a new file's entry in its folder permanent.
void sync_folder(const std::filesystem::path& file)
{
    const int folder = ::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    (void)::fsync(folder);
    ::close(folder);
}

} // namespace

Journal::Journal(std::filesystem::path file) : file_(std::move(file))
{
    descriptor_ = config::open_output(file_, {.appends = true});
    end_ = end_of_lines(file_);
    if (::ftruncate(descriptor_, end_) != 0)
        fail(errno);
    sync_folder(file_);
}

Journal::~Journal()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void Journal::fail(int error) const
{
    throw std::runtime_error(file_.string() + ": cannot be written: " + std::strerror(error));
}

void Journal::append(const nlohmann::json& record)
{
    const std::string text = record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string line = hex(checksum(text)) + " " + text + "\n";
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t part = ::write(descriptor_, line.data() + written, line.size() - written);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            break;
        written += static_cast<std::size_t>(part);
    }
    if (written == line.size() && ::fdatasync(descriptor_) == 0) {
        end_ += static_cast<std::int64_t>(line.size());
        return;
    }
    const int error = errno;
    (void)!::ftruncate(descriptor_, end_);
    fail(error);
}

std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use)
{
    std::uint64_t from = 0;
    return read_journal(file, use, from);
}

std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use, std::uint64_t& from)
{
    std::size_t damaged = 0;
    for_each_line(
        file,
        [&](const std::string& line) {
            const bool whole = line.size() > checksum_digits && line[checksum_digits] == ' ';
            const std::string text = whole ? line.substr(checksum_digits + 1) : "";
            const auto record = whole && line.substr(0, checksum_digits) == hex(checksum(text))
                                    ? config::bounded_json(text)
                                    : std::nullopt;
            if (record)
                use(*record);
            else
                ++damaged;
        },
        from);
    return damaged;
}

} // namespace levee::sweep
