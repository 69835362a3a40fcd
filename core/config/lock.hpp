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

/// Locks a folder as every command does that writes into it, as long as the descriptor is open; on
/// a file system without locks, none. Throws std::runtime_error that names the holder.
[[nodiscard]] Descriptor lock_folder(const std::filesystem::path& folder,
                                     LockKind kind = LockKind::Exclusive);

/// The process that locks a file or folder, from the system's list of locks: "process 123".
[[nodiscard]] std::string lock_holder(const Descriptor& file);

/// Writes this process into the locked file, in the place of whoever had it before.
void write_holder(const Descriptor& file);
/// The text that the holder wrote: "process 123 on host".
[[nodiscard]] std::string written_holder(const Descriptor& file);

} // namespace levee::config
