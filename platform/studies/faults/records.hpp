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

/// The runs of a campaign that have ended, in a folder, by their keys. It holds the folder's lock;
/// shards hold it together, and each a lock of its own.
class Records {
public:
    /// std::runtime_error if another command has the folder. Alone in it and without `resume`,
    /// forgets what is there.
    Records(const std::filesystem::path& folder, const sweep::Shard& shard, bool resume);

    /// Reads what all shards have recorded. Returns a warning, or nothing.
    std::string read();
    /// Records a run that has ended. std::runtime_error if that cannot be written.
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
