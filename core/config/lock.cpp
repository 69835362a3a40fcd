// SPDX-License-Identifier: Apache-2.0
#include "core/config/lock.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace levee::config {

bool try_lock(const Descriptor& file, LockKind kind)
{
    constexpr int tries = 50;
    constexpr useconds_t between_us = 10'000;
    const int how = kind == LockKind::Shared ? LOCK_SH : LOCK_EX;
    for (int i = 0; i < tries; ++i) {
        if (::flock(file.number(), how | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            return false;
        ::usleep(between_us);
    }
    errno = EWOULDBLOCK;
    return false;
}

Descriptor lock_folder(const std::filesystem::path& folder, LockKind kind)
{
    Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || try_lock(directory, kind) || errno != EWOULDBLOCK)
        return directory;
    throw std::runtime_error(folder.string() + ": another run writes into this folder (" +
                             lock_holder(directory) +
                             "); expected another folder ('--out'), or wait until that run ends");
}

std::string lock_holder(const Descriptor& file)
{
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
        return "another process";
    const std::string inode = ":" + std::to_string(status.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line); // Format of a line: "1: FLOCK ADVISORY WRITE 123 08:01:4567
                                        // 0 EOF"
        std::string number, type, manner, access, process, place;
        words >> number >> type >> manner >> access >> process >> place;
        if (type == "FLOCK" && place.ends_with(inode))
            return "process " + process;
    }
    return "another process";
}

void write_holder(const Descriptor& file)
{
    std::array<char, 128> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host[0] = '?';
    const std::string text = "process " + std::to_string(::getpid()) + " on " + host.data();
    // Only users read the text, so errors such as a full disk do not matter.
    (void)!::ftruncate(file.number(), 0);
    (void)!::pwrite(file.number(), text.data(), text.size(), 0);
}

std::string written_holder(const Descriptor& file)
{
    std::array<char, 256> text{};
    const ssize_t got = ::pread(file.number(), text.data(), text.size(), 0);
    return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

} // namespace levee::config
