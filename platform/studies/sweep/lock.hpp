// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/lock.hpp"

#include <filesystem>
#include <string>

namespace levee::sweep {

/// A folder's lock, held by this process while it lives and no longer.
class FolderLock {
public:
    /// Locks a file. Throws std::runtime_error with the holder's name if it is locked.
    explicit FolderLock(const std::filesystem::path& file,
                        config::LockKind kind = config::LockKind::Exclusive);
    /// Locks the folder by its file `name`, and the folder itself, which runs lock. With `shared`,
    /// other shared locks are permitted, each of which also has a lock of its own.
    FolderLock(const std::filesystem::path& folder, const std::string& name,
               config::LockKind kind = config::LockKind::Exclusive);

    /// For a forked process: only its parent keeps the lock.
    void leave_to_parent();

private:
    config::Descriptor file_;
    config::Descriptor directory_; ///< Not open: the lock covers only a file.
};

} // namespace levee::sweep
