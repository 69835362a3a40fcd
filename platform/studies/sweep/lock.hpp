// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace levee::sweep {

/// A folder's lock, held by this process while it lives and no longer: the system drops it, also
/// when the process is killed.
class FolderLock {
public:
    /// Locks the whole folder, or, `shared`, together with other shared ones, each of which also
    /// has a lock of its own. std::runtime_error naming the holder if it is taken.
    explicit FolderLock(const std::filesystem::path& file, bool shared = false);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

    /// In a forked process: the lock stays with its parent alone.
    void leave_to_parent();

private:
    int descriptor_ = -1;
};

} // namespace levee::sweep
