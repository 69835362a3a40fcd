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

/// Finished runs of a campaign in a folder, by their keys. It holds the folder's lock; shards share
/// that lock, and each has a lock for itself.
class Records {
public:
    /// Throws std::runtime_error if another command uses the folder. Alone in it and without
    /// `resume`, discards the existing records.
    Records(const std::filesystem::path& folder, const sweep::Shard& shard, bool resume);

    /// Reads the records of all shards. Returns a warning, or an empty text.
    std::string read();
    /// Records a finished run. Throws std::runtime_error if that cannot be written.
    void add(const std::string& key, nlohmann::json record);
    /// Null: the run has not ended.
    [[nodiscard]] const nlohmann::json* find(const std::string& key) const;
    /// For a forked process.
    void leave_to_parent();

private:
    std::filesystem::path folder_;
    std::string name_; ///< Name of the shard's journal, without its extension.
    sweep::FolderLock lock_;
    std::optional<sweep::FolderLock> shard_lock_;
    std::optional<sweep::Journal> journal_;
    std::map<std::string, nlohmann::json> records_;
};

} // namespace levee::campaign
