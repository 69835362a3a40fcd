// SPDX-License-Identifier: Apache-2.0
#include "core/config/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <new>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace levee::config {

std::string kind_of_file(mode_t mode)
{
    if (S_ISLNK(mode))
        return "a link";
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "no file";
}

int open_regular(const std::filesystem::path& path, std::string& why)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        why = std::string("cannot be read: ") + std::strerror(errno);
    } else if (S_ISREG(status.st_mode)) {
        return descriptor;
    } else {
        why = "is " + kind_of_file(status.st_mode) + "; expected a file";
    }
    if (descriptor >= 0)
        ::close(descriptor);
    return -1;
}

std::ifstream regular_stream(const std::filesystem::path& path)
{
    std::string ignored;
    const int descriptor = open_regular(path, ignored);
    std::ifstream stream;
    if (descriptor < 0) {
        stream.setstate(std::ios::failbit);
        return stream;
    }
    stream.open(path, std::ios::binary);
    ::close(descriptor);
    return stream;
}

namespace {

/// Reads an opened file of `bytes` bytes; fewer if the file is truncated during the read.
std::string all_of(int descriptor, std::uint64_t bytes)
{
    std::string text(bytes, '\0');
    std::size_t at = 0;
    while (at < text.size()) {
        const ssize_t got = ::read(descriptor, text.data() + at, text.size() - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw std::system_error(errno, std::generic_category());
        if (got == 0)
            break;
        at += static_cast<std::size_t>(got);
    }
    text.resize(at);
    return text;
}

} // namespace

std::optional<std::string> read_file(const std::filesystem::path& path, std::uint64_t most,
                                     std::string& why)
{
    const int descriptor = open_regular(path, why);
    if (descriptor < 0)
        return std::nullopt;
    const std::shared_ptr<void> owner(nullptr, [descriptor](void*) { ::close(descriptor); });
    struct stat status {};
    (void)::fstat(descriptor, &status);
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes > most) {
        why = "has " + std::to_string(bytes) + " bytes; expected at most " + std::to_string(most);
        return std::nullopt;
    }
    try {
        return all_of(descriptor, bytes);
    } catch (const std::system_error& error) {
        why = "cannot be read: " + error.code().message();
    } catch (const std::bad_alloc&) {
        why = "there is not enough memory for its " + std::to_string(bytes) + " bytes";
    }
    return std::nullopt;
}

std::string why_unreadable(const std::filesystem::path& path)
{
    std::string why;
    const int descriptor = open_regular(path, why);
    if (descriptor >= 0)
        ::close(descriptor);
    return why.empty() ? "cannot be read" : why;
}

} // namespace levee::config
