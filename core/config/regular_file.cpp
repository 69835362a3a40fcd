// SPDX-License-Identifier: Apache-2.0
#include "core/config/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace levee::config {

namespace {

std::string kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISFIFO(mode))
        return "a pipe";
    return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "no file";
}

} // namespace

int open_regular(const std::filesystem::path& path, std::string& why)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status {};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
        why = std::string("cannot be read: ") + std::strerror(errno);
    } else if (S_ISREG(status.st_mode)) {
        return descriptor;
    } else {
        why = "is " + kind_of(status.st_mode) + "; expected a file";
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

std::string why_unreadable(const std::filesystem::path& path)
{
    std::string why;
    const int descriptor = open_regular(path, why);
    if (descriptor >= 0)
        ::close(descriptor);
    return why.empty() ? "cannot be read" : why;
}

} // namespace levee::config
