// SPDX-License-Identifier: Apache-2.0
#include "core/config/output_file.hpp"

#include "core/config/descriptor.hpp"
#include "core/config/lock.hpp"
#include "core/config/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace levee::config {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw std::runtime_error(path.string() + ": cannot be written: " + why);
}

std::string expected_file(const std::string& found)
{
    return "it is " + found + "; expected a regular file, or an unused name";
}

/// Returns the reason why a file could not be opened. If the path is not a regular file, the reason
/// names its kind, which is clearer than the system's message.
std::string why_not_opened(const fs::path& path, int error)
{
    std::error_code ignored;
    if (error == ELOOP && fs::is_symlink(fs::symlink_status(path, ignored)))
        return expected_file("a link");
    if (error == ENXIO && fs::is_fifo(fs::status(path, ignored)))
        return "no process reads this pipe";
    if (error == EISDIR)
        return expected_file("a folder");
    return std::strerror(error);
}

/// Whether the name still refers to the opened file. Another process may have renamed it.
bool is_at(const fs::path& path, int descriptor)
{
    struct stat opened {
    }, named{};
    return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool is_regular(int descriptor)
{
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

int open_output(const fs::path& path, OutputWay way)
{
    const int flags = (way.reads ? O_RDWR : O_WRONLY) | (way.appends ? O_APPEND : 0) |
                      (way.named ? 0 : O_NOFOLLOW) | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat there {};
    // The kind is checked first, because opening a device may affect it.
    if (!way.named && ::lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
        refuse(path, expected_file(kind_of_file(there.st_mode)));
    Descriptor file(::open(path.c_str(), flags, 0666));
    if (file.number() < 0)
        refuse(path, why_not_opened(path, errno));
    if (!is_regular(file.number())) {
        if (!way.named)
            refuse(path, "it is not a regular file; expected a regular file, or an unused name");
        (void)::fcntl(file.number(), F_SETFL, 0);
    }
    return file.release();
}

int open_new_output(const fs::path& path, OutputWay way)
{
    constexpr int most_renamed = 100;
    for (int i = 0; i < most_renamed; ++i) {
        Descriptor file(open_output(path, way));
        if (!is_regular(file.number()))
            return file.release();
        if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            refuse(path, lock_holder(file) +
                             " is writing it; expected another name, or wait until that run ends");
        if (!is_at(path, file.number()))
            continue;
        if (::ftruncate(file.number(), 0) != 0)
            refuse(path, std::strerror(errno));
        return file.release();
    }
    refuse(path, "another process keeps renaming it");
}

void check_output(const fs::path& path)
{
    const Descriptor file(open_output(path));
}

void copy_output(const fs::path& from, const fs::path& to)
{
    check_output(to);
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

std::ofstream output_stream(const fs::path& path, std::ios::openmode mode)
{
    const Descriptor file(open_output(path));
    std::ofstream stream("/proc/self/fd/" + std::to_string(file.number()), std::ios::binary | mode);
    if (!stream)
        refuse(path, std::strerror(errno));
    return stream;
}

void make_inner_folder(const fs::path& root, const fs::path& folder)
{
    fs::path at = root;
    std::error_code failed;
    fs::create_directories(root, failed);
    for (const fs::path& part :
         folder.lexically_normal().lexically_proximate(root.lexically_normal())) {
        at /= part;
        fs::create_directory(at, failed);
        if (!fs::is_directory(fs::symlink_status(at, failed)))
            throw std::runtime_error(at.string() + ": expected a folder, or an unused name");
    }
}

} // namespace levee::config
