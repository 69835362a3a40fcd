// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/store.hpp"

#include "core/config/error.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/sweep/report_files.hpp"
#include "platform/studies/sweep/work.hpp"

#include <algorithm>
#include <fcntl.h>
#include <regex>
#include <set>
#include <stdexcept>
#include <sys/file.h>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

/// Returns the journals of the whole sweep and of its shards.
std::vector<fs::path> journals(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == journal_extension)
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string i_of_n(const Shard& shard)
{
    return std::to_string(shard.index) + "-of-" + std::to_string(shard.of);
}

/// Returns whether a killed sweep has left this file or folder: a partly written file, or a folder
/// for running runs. Everything else in the folder belongs to the user.
bool is_leftover(const std::string& name)
{
    static const std::regex scratch_names(R"(scratch-[1-9]\d*-of-[1-9]\d*)");
    if (std::regex_match(name, scratch_names))
        return true;
    const std::optional<std::string> file = unfinished(name);
    return file && (*file == probe_file ||
                    std::ranges::find(report_file::all, *file) != report_file::all.end());
}

/// Throws if a table would be replaced that no sweep has written.
void check_tables(const fs::path& folder)
{
    std::error_code ignored;
    if (!journals(folder).empty() || fs::exists(folder / report_file::data, ignored))
        return;
    for (const char* name : {report_file::table, report_file::points, report_file::text})
        if (fs::exists(folder / name, ignored))
            throw std::runtime_error(config::in_quotes((folder / name).string()) +
                                     " is not the table of a sweep, which would replace it; "
                                     "expected another output folder");
}

void remove_leftovers(const fs::path& folder)
{
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(folder))
        if (is_leftover(entry.path().filename().string()))
            left.push_back(entry.path());
    for (const fs::path& path : left)
        fs::remove_all(path);
}

} // namespace

std::string journal_name(const Shard& shard)
{
    return shard.whole() ? "points" : "points-" + i_of_n(shard);
}

fs::path journal_file(const fs::path& folder, const Shard& shard)
{
    return folder / journal_name(shard).append(journal_extension);
}

bool is_at_work(const fs::path& folder, const std::string& name)
{
    const config::Descriptor file(
        ::open((folder / (name + ".lock")).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    return file && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0;
}

fs::path scratch_folder(const fs::path& folder, const Shard& shard)
{
    return folder / ("scratch-" + i_of_n(shard));
}

Store::Store(const fs::path& folder, const Shard& shard)
    : folder_(folder), name_(journal_name(shard)),
      lock_(folder, "lock", shard.whole() ? config::LockKind::Exclusive : config::LockKind::Shared)
{
    check_tables(folder);
    if (shard.whole())
        remove_leftovers(folder);
    else
        shard_lock_.emplace(folder / (name_ + ".lock"));
}

Store::Store(const fs::path& folder)
    : folder_(folder), name_("submission"), lock_(folder, "lock", config::LockKind::Shared)
{
    shard_lock_.emplace(folder / (name_ + ".lock"));
}

void Store::clear() const
{
    for (const fs::path& file : journals(folder_))
        fs::remove(file);
}

/// Returns whether the run's files exist, if the study keeps them.
bool Store::is_kept(const std::string& key, const Study& study) const
{
    return !study.keep || fs::exists(folder_ / kept_folder(key) / "results.json");
}

std::string Store::read(const Plan& plan, const Study& study, bool failed)
{
    std::set<std::string> planned;
    for (const PlannedRun& run : plan.runs)
        planned.insert(run.key);
    return read_journals(study, failed,
                         [&](const std::string& key) { return planned.contains(key); });
}

std::string Store::read_all(const Study& study, bool failed)
{
    return read_journals(study, failed, [](const std::string&) { return true; });
}

std::string Store::read_journals(const Study& study, bool failed,
                                 const std::function<bool(const std::string& key)>& wanted)
{
    std::string warning;
    for (const fs::path& file : journals(folder_)) {
        std::size_t foreign = 0;
        const std::size_t damaged = read_journal(file, [&](const nlohmann::json& record) {
            if (!is_record(record)) {
                ++foreign;
                return;
            }
            const std::string key = record.at("key");
            if (!wanted(key))
                return;
            const bool done = !record.contains("error") && is_kept(key, study);
            const bool better =
                done || (failed && record.contains("error") && find(key) == nullptr);
            if (better)
                outcomes_[key] = outcome_of(record, study.columns);
        });
        if (damaged + foreign != 0)
            warning += file.string() + ": " + std::to_string(damaged + foreign) +
                       " damaged lines; their points run again\n";
    }
    return warning;
}

void Store::open()
{
    journal_.emplace(folder_ / std::string(name_).append(journal_extension));
}

void Store::add(const nlohmann::json& record, const Study& study)
{
    journal_->append(record);
    outcomes_[record.at("key")] = outcome_of(record, study.columns);
}

const Outcome* Store::find(const std::string& key) const
{
    const auto found = outcomes_.find(key);
    return found == outcomes_.end() ? nullptr : &found->second;
}

void Store::leave_to_parent()
{
    lock_.leave_to_parent();
    if (shard_lock_)
        shard_lock_->leave_to_parent();
}

} // namespace levee::sweep
