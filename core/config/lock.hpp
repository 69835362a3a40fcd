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
    Shared ///< with other shared ones
};

/// Whether a file could be locked. It is tried for a while: if a process was just killed, a child
/// about to end may still have the lock. If not, errno says why: EWOULDBLOCK if another has it.
[[nodiscard]] bool try_lock(const Descriptor& file, LockKind kind = LockKind::Exclusive);

/// Locks a folder as every command does that writes into it, as long as the descriptor is open; on
/// a file system without locks, none. Throws std::runtime_error that names the holder.
[[nodiscard]] Descriptor lock_folder(const std::filesystem::path& folder,
                                     LockKind kind = LockKind::Exclusive);

/// What the system's list of locks says of who has locked a file or folder: "process 123".
[[nodiscard]] std::string lock_holder(const Descriptor& file);

/// Writes this process into the locked file, in the place of whoever had it before.
void write_holder(const Descriptor& file);
/// The text that the holder wrote: "process 123 on host".
[[nodiscard]] std::string written_holder(const Descriptor& file);

} // namespace levee::config
