// SPDX-License-Identifier: Apache-2.0
// Locks of files and folders, which the system drops with the process that has them, also when it
// is killed.
#pragma once

#include "core/config/descriptor.hpp"

#include <filesystem>
#include <string>

namespace levee::config {

enum class LockKind {
    Exclusive,
    Shared ///< Shared lock: other shared locks are permitted.
};

/// Tries for a short time to lock a file: a process that was just killed may have a child that
/// still holds the lock. On failure errno gives the reason; EWOULDBLOCK means that another process
/// has the lock.
[[nodiscard]] bool try_lock(const Descriptor& file, LockKind kind = LockKind::Exclusive);

/// Locks a folder, like every command that writes into it, for as long as the descriptor is open.
/// On a file system without locks it does nothing. Throws std::runtime_error with the holder's
/// name.
[[nodiscard]] Descriptor lock_folder(const std::filesystem::path& folder,
                                     LockKind kind = LockKind::Exclusive);

/// The process that locks a file or folder, from the system's list of locks: "process 123".
[[nodiscard]] std::string lock_holder(const Descriptor& file);

/// Writes this process as the holder into the locked file.
void write_holder(const Descriptor& file);
/// The text that the holder wrote: "process 123 on host".
[[nodiscard]] std::string written_holder(const Descriptor& file);

} // namespace levee::config
