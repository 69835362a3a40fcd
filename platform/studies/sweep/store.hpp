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

/// One of `of` equal parts of a study's runs: those whose number modulo `of` is `index` - 1.
struct Shard {
    unsigned index = 1, of = 1;
    [[nodiscard]] bool whole() const { return of == 1; }
    [[nodiscard]] bool has(std::size_t run) const { return run % of == index - 1; }
};

/// Name of a shard's journal and lock in the sweep's folder, without ending.
[[nodiscard]] std::string journal_name(const Shard& shard);

/// Whether a process works on the shard whose journal has this name.
[[nodiscard]] bool is_at_work(const std::filesystem::path& folder, const std::string& name);

/// The folder for the files of a shard's running runs.
[[nodiscard]] std::filesystem::path scratch_folder(const std::filesystem::path& folder,
                                                   const Shard& shard);

/// A sweep's folder with the records of its runs. It holds the folder's lock; shards share that
/// lock, and each has one of its own.
class Store {
public:
    /// Throws std::runtime_error if another sweep uses the folder. Alone in it, removes the
    /// leftovers of killed sweeps, which it knows by their names.
    Store(const std::filesystem::path& folder, const Shard& shard);

    /// For a sweep whose shards run elsewhere: shares the folder with them, but not with another
    /// sweep.
    explicit Store(const std::filesystem::path& folder);

    /// Discards the records of all shards.
    void clear() const;
    /// Reads the records of the plan's runs. Failed ones count as not done, to be repeated, unless
    /// `failed`. Returns a warning, or nothing.
    std::string read(const Plan& plan, const Study& study, bool failed = false);
    /// Reads the recording of any runs: for a plan that grows.
    std::string read_all(const Study& study, bool failed = false);
    /// Opens the journal for add().
    void open();
    /// Records a finished run. Throws std::runtime_error if that cannot be written.
    void add(const nlohmann::json& record, const Study& study);

    /// Outcome of a run by its key; null: it is not done.
    [[nodiscard]] const Outcome* find(const std::string& key) const;

    /// For a forked process.
    void leave_to_parent();

private:
    [[nodiscard]] bool is_kept(const std::string& key, const Study& study) const;
    std::string read_journals(const Study& study, bool failed,
                              const std::function<bool(const std::string& key)>& wanted);

    std::filesystem::path folder_;
    std::string name_; ///< name of the journal, without ending
    FolderLock lock_;
    std::optional<FolderLock> shard_lock_;
    std::optional<Journal> journal_;
    std::map<std::string, Outcome> outcomes_;
};

} // namespace levee::sweep
