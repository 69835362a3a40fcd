// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/lock.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace levee::sweep {

namespace {

/// What the holder wrote into the file: "process 123 on host".
std::string holder(int descriptor)
{
    std::array<char, 256> text{};
    const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
    return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "another process";
}

/// Tries to lock for a while: if a sweep was just killed, a child about to end may still have the
/// lock.
bool locks(int descriptor, int kind)
{
    constexpr int tries = 50;
    constexpr useconds_t between_us = 10'000;
    for (int i = 0; i < tries; ++i) {
        if (::flock(descriptor, kind | LOCK_NB) == 0)
            return true;
        if (errno != EWOULDBLOCK)
            return false;
        ::usleep(between_us);
    }
    errno = EWOULDBLOCK;
    return false;
}

void write_holder(int descriptor)
{
    std::array<char, 128> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host[0] = '?';
    const std::string text = "process " + std::to_string(::getpid()) + " on " + host.data();
    // A full disk takes no lock away: the text is for people.
    (void)!::ftruncate(descriptor, 0);
    (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

} // namespace

FolderLock::FolderLock(const std::filesystem::path& file, bool shared)
{
    descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0)
        throw std::runtime_error(file.string() + ": cannot be opened: " + std::strerror(errno));
    if (locks(descriptor_, shared ? LOCK_SH : LOCK_EX)) {
        write_holder(descriptor_);
        return;
    }
    const int error = errno;
    const std::string who = holder(descriptor_);
    ::close(descriptor_);
    if (error != EWOULDBLOCK)
        throw std::runtime_error(file.string() + ": cannot be locked: " + std::strerror(error));
    throw std::runtime_error(file.parent_path().string() +
                             ": another sweep writes into this folder (" + who +
                             "); expected a folder of its own ('--out'), or its end");
}

FolderLock::~FolderLock()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void FolderLock::leave_to_parent()
{
    ::close(descriptor_);
    descriptor_ = -1;
}

} // namespace levee::sweep
