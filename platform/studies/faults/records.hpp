// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/journal.hpp"
#include "platform/studies/sweep/lock.hpp"
#include "platform/studies/sweep/store.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace levee::campaign {

/// The finished runs of a campaign in its folder, by their keys. This object locks the folder.
/// Shards share the folder's lock, and each also has a lock of its own.
class Records {
public:
    /// Throws std::runtime_error if another command uses the folder. Without `resume`, deletes
    /// existing records, unless this is only a shard.
    Records(const std::filesystem::path& folder, const sweep::Shard& shard, bool resume);

    /// Reads all shards' records. Returns a warning, or an empty text.
    std::string read();
    /// Throws std::runtime_error if the record cannot be written.
    void add(const std::string& key, nlohmann::json record);
    /// Returns the record of a run; null if it has not finished.
    [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
    /// Must be called in a forked process, since the locks belong to the parent.
    void leave_to_parent();

private:
    std::filesystem::path folder_;
    std::string name_; ///< name of the shard's log, without its extension
    sweep::FolderLock lock_;
    std::optional<sweep::FolderLock> shard_lock_;
    std::optional<sweep::Journal> journal_;
    std::map<std::string, nlohmann::json> records_;
};

} // namespace levee::campaign
