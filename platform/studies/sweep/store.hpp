// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/journal.hpp"
#include "platform/studies/sweep/lock.hpp"
#include "platform/studies/sweep/outcome.hpp"
#include "platform/studies/sweep/plan.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A shard: one of `of` parts of a study's runs. It has the runs whose number modulo `of` is
/// `index` - 1.
struct Shard {
    unsigned index = 1, of = 1;
    [[nodiscard]] bool whole() const { return of == 1; }
    [[nodiscard]] bool has(std::size_t run) const { return run % of == index - 1; }
};

/// Name of a shard's journal and of its lock file in the sweep's folder, without the extensions.
[[nodiscard]] std::string journal_name(const Shard& shard);

[[nodiscard]] std::filesystem::path journal_file(const std::filesystem::path& folder,
                                                 const Shard& shard);

/// Returns whether a process is working on the shard that has a journal of this name.
[[nodiscard]] bool is_at_work(const std::filesystem::path& folder, const std::string& name);

/// Returns the folder for files of a shard's runs while they are running.
[[nodiscard]] std::filesystem::path scratch_folder(const std::filesystem::path& folder,
                                                   const Shard& shard);

/// The folder of a sweep, with the records of its runs. This object locks the folder. Shards share
/// the folder's lock, and each also has a lock of its own.
class Store {
public:
    /// Throws std::runtime_error if another sweep uses the folder, or if the folder has a table of
    /// the user that the sweep would replace. Unless this is a shard, removes
    /// leftover files of killed sweeps, which it recognizes by their names.
    Store(const std::filesystem::path& folder, const Shard& shard);

    /// Opens the folder of a sweep whose shards run elsewhere. The shards may use the folder at the
    /// same time; another sweep may not.
    explicit Store(const std::filesystem::path& folder);

    /// Also deletes the records of shards.
    void clear() const;
    /// Reads the records of the plan's runs. Failed runs count as not done, so that they are
    /// repeated, unless `failed` is set. Returns a warning, or an empty text.
    std::string read(const Plan& plan, const Study& study, bool failed = false);
    /// Like read(), for all records, since the plan may still grow.
    std::string read_all(const Study& study, bool failed = false);
    /// Must be called before add().
    void open();
    /// Throws std::runtime_error if the record cannot be written.
    void add(const nlohmann::json& record, const Study& study);

    /// Returns the result of the run with this key; null if it is not done.
    [[nodiscard]] const Outcome* find(const std::string& key) const;

    /// Must be called in a forked process: the locks stay with the parent.
    void leave_to_parent();

private:
    [[nodiscard]] bool is_kept(const std::string& key, const Study& study) const;
    std::string read_journals(const Study& study, bool failed,
                              const std::function<bool(const std::string& key)>& wanted);

    std::filesystem::path folder_;
    std::string name_; ///< name of the journal, without the extension
    FolderLock lock_;
    std::optional<FolderLock> shard_lock_;
    std::optional<Journal> journal_;
    std::map<std::string, Outcome> outcomes_;
};

} // namespace levee::sweep
