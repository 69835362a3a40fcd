// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/lock.hpp"

#include <filesystem>
#include <string>

namespace levee::sweep {

/// A lock on a folder. The system releases it if this process ends.
class FolderLock {
public:
    /// Locks a file. If another process has locked it, throws std::runtime_error with a description
    /// of that process.
    explicit FolderLock(const std::filesystem::path& file,
                        config::LockKind kind = config::LockKind::Exclusive);
    /// Locks the file `name` in the folder, and also the folder itself, as runs do. Several
    /// processes can have a shared lock at the same time.
    FolderLock(const std::filesystem::path& folder, const std::string& name,
               config::LockKind kind = config::LockKind::Exclusive);

    /// Must be called in a forked process. The lock then belongs only to the parent.
    void leave_to_parent();

private:
    config::Descriptor file_;
    config::Descriptor directory_; ///< not open if only a file is locked
};

} // namespace levee::sweep
