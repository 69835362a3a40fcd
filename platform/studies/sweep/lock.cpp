// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/lock.hpp"

#include "core/config/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::sweep {

FolderLock::FolderLock(const std::filesystem::path& file, config::LockKind kind)
    : file_(config::open_output(file, {.reads = true}))
{
    if (config::try_lock(file_, kind)) {
        config::write_holder(file_);
        return;
    }
    if (errno != EWOULDBLOCK)
        throw std::runtime_error(file.string() + ": cannot be locked: " + std::strerror(errno));
    throw std::runtime_error(file.parent_path().string() +
                             ": another sweep or reproduction writes into this folder (" +
                             config::written_holder(file_) +
                             "); expected another folder ('--out'), or wait until it ends");
}

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& name,
                       config::LockKind kind)
    : FolderLock(folder / name, kind)
{
    directory_ = config::lock_folder(folder, kind);
}

void FolderLock::leave_to_parent()
{
    file_ = config::Descriptor();
    directory_ = config::Descriptor();
}

} // namespace levee::sweep
