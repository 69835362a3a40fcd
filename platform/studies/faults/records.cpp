// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/records.hpp"

#include <algorithm>
#include <vector>

namespace levee::campaign {

namespace {

namespace fs = std::filesystem;

constexpr const char* ending = ".journal";

std::vector<fs::path> journals(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ending)
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string name_of(const sweep::Shard& shard)
{
    return shard.whole()
               ? "faults"
               : "faults-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.of);
}

} // namespace

Records::Records(const fs::path& folder, const sweep::Shard& shard, bool resume)
    : folder_(folder), name_(name_of(shard)),
      lock_(folder, "lock", shard.whole() ? config::LockKind::Exclusive : config::LockKind::Shared)
{
    if (!shard.whole())
        shard_lock_.emplace(folder / (name_ + ".lock"));
    else if (!resume)
        for (const fs::path& file : journals(folder))
            fs::remove(file);
}

std::string Records::read()
{
    std::string warning;
    for (const fs::path& file : journals(folder_)) {
        const std::size_t damaged = sweep::read_journal(
            file, [&](const nlohmann::json& record) { records_[record.at("key")] = record; });
        if (damaged != 0)
            warning += file.string() + ": " + std::to_string(damaged) +
                       " damaged lines; their runs are repeated\n";
    }
    return warning;
}

void Records::add(const std::string& key, nlohmann::json record)
{
    if (!journal_)
        journal_.emplace(folder_ / (name_ + ending));
    record["key"] = key;
    journal_->append(record);
    records_[key] = std::move(record);
}

const nlohmann::json* Records::find(const std::string& key) const
{
    const auto found = records_.find(key);
    return found == records_.end() ? nullptr : &found->second;
}

void Records::leave_to_parent()
{
    lock_.leave_to_parent();
    if (shard_lock_)
        shard_lock_->leave_to_parent();
}

} // namespace levee::campaign
