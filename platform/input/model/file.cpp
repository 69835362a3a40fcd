// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/file.hpp"

#include "core/config/regular_file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace levee {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what)
{
    throw ModelError(path.string() + ": cannot " + what + ": " + std::strerror(errno));
}

/// Returns the file that will be written for `path`, with links resolved. Throws ModelError if no
/// file can be written there.
std::filesystem::path place_of(const std::filesystem::path& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw ModelError(path.string() +
                         ": is not a regular file, expected a regular file or a new name");
    }
    std::filesystem::path place = path;
    for (int links = 0; links < 40 && std::filesystem::is_symlink(place, error); ++links) {
        place = place.parent_path() / std::filesystem::read_symlink(place);
    }
    return place;
}

/// Files that are being read, each identified by device and inode.
struct FilesRead {
    std::vector<std::pair<dev_t, ino_t>> open, closed;
    unsigned keepers = 0; // number of users of `closed`, which is dropped when there are none
};

FilesRead& files_read()
{
    static FilesRead files;
    return files;
}

bool is_being_read(const std::filesystem::path& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return false;
    }
    const std::pair file(status.st_dev, status.st_ino);
    const FilesRead& files = files_read();
    return std::ranges::find(files.open, file) != files.open.end() ||
           std::ranges::find(files.closed, file) != files.closed.end();
}

} // namespace

std::vector<std::uint8_t> read_file(const std::filesystem::path& path)
{
    const InputFile file(path);
    try {
        std::vector<std::uint8_t> bytes(file.size());
        file.read(0, bytes);
        return bytes;
    } catch (const std::bad_alloc&) {
        throw ModelError(path.string() + ": there is not enough memory for its " +
                         std::to_string(file.size()) + " bytes");
    } catch (const std::length_error&) {
        throw ModelError(path.string() + ": has " + std::to_string(file.size()) +
                         " bytes; expected a file that fits into memory");
    }
}

void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes)
{
    OutputFile file(path);
    file.append(bytes);
    file.commit();
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path))
{
    std::string why;
    descriptor_ = config::open_regular(path_, why);
    if (descriptor_ < 0) {
        throw ModelError(path_.string() + ": " + why);
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) {
        ::close(descriptor_);
        fail(path_, "read");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
    file_ = {status.st_dev, status.st_ino};
    files_read().open.push_back(file_);
}

InputFile::~InputFile()
{
    FilesRead& files = files_read();
    files.open.erase(std::ranges::find(files.open, file_));
    if (files.keepers != 0) {
        files.closed.push_back(file_);
    }
    ::close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::uint8_t> out) const
{
    while (!out.empty()) {
        const ssize_t count =
            ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            fail(path_, "read");
        }
        if (count == 0) {
            throw ModelError(path_.string() + ": ends at byte " + std::to_string(offset) +
                             ", expected " + std::to_string(out.size()) + " bytes more");
        }
        offset += static_cast<std::uint64_t>(count);
        out = out.subspan(static_cast<size_t>(count));
    }
}

InputsKept::InputsKept()
{
    ++files_read().keepers;
}

InputsKept::~InputsKept()
{
    if (--files_read().keepers == 0) {
        files_read().closed.clear();
    }
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(place_of(path)), partial_(path_.string() + ".partial-" + std::to_string(::getpid()))
{
    if (is_being_read(path_)) {
        throw ModelError(path_.string() +
                         ": is an input file, expected another name for the output");
    }
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    is_nameless_ = descriptor_ >= 0;
    if (!is_nameless_) {
        descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (descriptor_ < 0) {
        fail(path_, "write");
    }
}

OutputFile::~OutputFile()
{
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!partial_.empty()) {
        ::unlink(partial_.c_str());
    }
}

void OutputFile::append(std::span<const std::uint8_t> bytes)
{
    write_at(size_, bytes);
    size_ += bytes.size();
}

void OutputFile::patch(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    write_at(offset, bytes);
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail(path_, "write");
        }
        offset += static_cast<std::uint64_t>(count);
        bytes = bytes.subspan(static_cast<size_t>(count));
    }
}

void OutputFile::commit()
{
    if (is_nameless_) {
        const std::string itself = "/proc/self/fd/" + std::to_string(descriptor_);
        ::unlink(partial_.c_str());
        if (::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, partial_.c_str(), AT_SYMLINK_FOLLOW) !=
            0) {
            fail(path_, "write");
        }
    }
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    if (result != 0 || ::rename(partial_.c_str(), path_.c_str()) != 0) {
        fail(path_, "write");
    }
    partial_.clear();
}

} // namespace levee
