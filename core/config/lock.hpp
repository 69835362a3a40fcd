// SPDX-License-Identifier: Apache-2.0
// Locks of files and folders. The system releases them when the process ends, even if it is killed.
#pragma once

#include "core/config/descriptor.hpp"

#include <filesystem>
#include <string>

namespace levee::config {

enum class LockKind {
    Exclusive,
    Shared ///< Shared lock: other shared locks are permitted.
};

/// Tries to lock a file. Retries for a short time, because a child of a killed process may still
/// hold the lock. On failure, errno gives the reason; EWOULDBLOCK means that another process has
/// the lock.
[[nodiscard]] bool try_lock(const Descriptor& file, LockKind kind = LockKind::Exclusive);

/// Locks a folder while the descriptor is open. Every command that writes to a folder does this. On
/// a file system without locks, the function locks nothing. If the folder is already locked, throws
/// std::runtime_error with the holder's name.
[[nodiscard]] Descriptor lock_folder(const std::filesystem::path& folder,
                                     LockKind kind = LockKind::Exclusive);

/// Returns the process that has locked a file or folder, such as "process 123", from the system's
/// list of locks.
[[nodiscard]] std::string lock_holder(const Descriptor& file);

/// Writes this process's name to the locked file.
void write_holder(const Descriptor& file);
/// Returns the text that the holder wrote into the file, such as "process 123 on host".
[[nodiscard]] std::string written_holder(const Descriptor& file);

} // namespace levee::config
