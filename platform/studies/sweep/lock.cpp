// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/lock.hpp"

#include "core/shipped/lock_holder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace levee::sweep {

namespace {

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
    const std::string who = holder_of(descriptor_);
    ::close(descriptor_);
    if (error != EWOULDBLOCK)
        throw std::runtime_error(file.string() + ": cannot be locked: " + std::strerror(error));
    throw std::runtime_error(file.parent_path().string() +
                             ": another sweep or reproduction writes into this folder (" + who +
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
