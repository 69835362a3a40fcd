// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace levee::sweep {

/// A folder's lock, held by this process while it lives and no longer: the system drops it, also
/// when the process is killed.
class FolderLock {
public:
    /// Of the whole folder, or, `shared`, beside others of its kind; each of these holds a lock of
    /// its own, too. std::runtime_error naming the holder if it is taken.
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
