// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/semihost/files.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace levee::semihost {

namespace {

constexpr std::size_t most_appended = 64; ///< maximum number of files for appending that stay open

int open_flags(std::uint32_t mode)
{
    const bool update = (mode & 2u) != 0;
    const int access = update ? O_RDWR : mode < 4 ? O_RDONLY : O_WRONLY;
    if (mode < 4)
        return access;
    return access | O_CREAT | (mode < 8 ? O_TRUNC : O_APPEND);
}

/// Returns the components of a path; nothing if the path contains `..`.
std::optional<std::vector<std::string>> parts_of(const std::string& name)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= name.size()) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string part = name.substr(begin, end - begin);
        if (part == "..")
            return std::nullopt;
        if (!part.empty() && part != ".")
            parts.push_back(part);
        begin = end + 1;
    }
    return parts;
}

} // namespace

Files::Place Files::find(const std::string& name) const
{
    const auto parts = parts_of(name);
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos || !parts)
        return {Descriptor(), "", EACCES};
    if (parts->empty())
        return {Descriptor(), "", EISDIR};
    Descriptor folder(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t i = 0; i + 1 < parts->size() && folder; ++i)
        folder = Descriptor(::openat(folder.number(), (*parts)[i].c_str(),
                                     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder)
        return {Descriptor(), "", errno};
    return {std::move(folder), parts->back(), 0};
}

Descriptor Files::open(const std::string& name, std::uint32_t mode, int& error)
{
    const Place place = find(name);
    error = place.error;
    if (error != 0)
        return Descriptor();
    // O_NONBLOCK keeps the run from blocking if a pipe has this name.
    const int flags = open_flags(mode) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    Descriptor file(::openat(place.folder.number(), place.leaf.c_str(), flags, 0644));
    struct stat status {};
    if (!file)
        error = errno;
    else if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
        error = EACCES;
    else if ((flags & O_APPEND) != 0)
        error = append(file, name, static_cast<std::uint64_t>(status.st_size));
    return error == 0 ? std::move(file) : Descriptor();
}

/// Opens a file for appending, and removes the bytes that another copy of this process (FirstSizes)
/// has appended but this copy has not yet written. Keeps a descriptor of the file open, since a
/// debugger that goes back in time cuts open files to their earlier size.
int Files::append(const Descriptor& file, const std::string& name, std::uint64_t bytes)
{
    const std::uint64_t before = sizes_.open(name, bytes);
    if (before != bytes && ::ftruncate(file.number(), static_cast<off_t>(before)) != 0)
        return errno;
    if (appended_.size() < most_appended || appended_.contains(name))
        appended_.insert_or_assign(name, Descriptor(::fcntl(file.number(), F_DUPFD_CLOEXEC, 0)));
    return 0;
}

int Files::remove(const std::string& name) const
{
    const Place place = find(name);
    if (place.error != 0)
        return place.error;
    return ::unlinkat(place.folder.number(), place.leaf.c_str(), 0) == 0 ? 0 : errno;
}

int Files::rename(const std::string& from, const std::string& to) const
{
    const Place source = find(from), target = find(to);
    if (source.error != 0 || target.error != 0)
        return source.error != 0 ? source.error : target.error;
    return ::renameat(source.folder.number(), source.leaf.c_str(), target.folder.number(),
                      target.leaf.c_str()) == 0
               ? 0
               : errno;
}

} // namespace levee::semihost
