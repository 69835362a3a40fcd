// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/explore/trials.hpp"

#include "core/config/descriptor.hpp"
#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "platform/studies/sweep/journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/file.h>
#include <utility>

namespace levee::explore {

namespace fs = std::filesystem;

/// Locks the file for this process, and reads what others have added to it.
class Trials::Turn {
public:
    explicit Turn(Trials& trials)
        : lock_(config::open_output(trials.folder_ / "trials.lock", {.reads = true}))
    {
        while (::flock(lock_.number(), LOCK_EX) != 0)
            if (errno != EINTR)
                throw std::runtime_error((trials.folder_ / "trials.lock").string() +
                                         ": cannot be locked: " + std::strerror(errno));
        trials.read();
    }

private:
    config::Descriptor lock_;
};

nlohmann::json Trials::head_in(const fs::path& folder)
{
    nlohmann::json head;
    (void)sweep::read_journal(folder / file_name, [&](const nlohmann::json& entry) {
        if (head.is_null())
            head = entry;
    });
    return head;
}

void Trials::clear(const fs::path& folder)
{
    fs::remove(folder / file_name);
}

Trials::Trials(const fs::path& folder, const nlohmann::json& head,
               std::vector<std::vector<double>> first, std::size_t most)
    : folder_(folder), first_(std::move(first)), most_(std::max(most, first_.size()))
{
    const Turn turn(*this);
    if (head_.is_null())
        append(head);
    if (head_ != head)
        throw config::Error(
            (folder_ / file_name).string() +
            ": records an exploration with different axes, objectives, named "
            "points, common settings, optimiser or seed; expected the same, '--no-resume' or "
            "another '--out'");
}

std::optional<Taken> Trials::take(const Worker& worker)
{
    while (true) {
        {
            const Turn turn(*this);
            if (const auto left = left_behind(worker)) {
                append({{"taken", *left}, {"by", worker.name}});
                return Taken{*left, true};
            }
            const std::size_t trial = trials_.size();
            if (trial >= most_)
                return std::nullopt;
            if (trial < first_.size()) {
                append({{"trial", trial}, {"by", worker.name}, {"place", first_[trial]}});
                return Taken{trial, false};
            }
        }
        const std::optional<Proposed> proposed = worker.propose(); // without the lock, since this
                                                                   // takes time
        if (!proposed)
            return std::nullopt;
        const Turn turn(*this);
        const std::size_t trial = trials_.size();
        if (trial >= most_ || !worker.is_new(proposed->place))
            continue;
        append({{"trial", trial},
                {"by", worker.name},
                {"place", proposed->place},
                {"known", proposed->known},
                {"attempt", proposed->attempt}});
        return Taken{trial, false};
    }
}

void Trials::end(std::size_t trial, const Values& values)
{
    const Turn turn(*this);
    append({{"ended", trial}, {"values", values ? nlohmann::json(*values) : nlohmann::json()}});
}

std::size_t Trials::left() const
{
    return most() - static_cast<std::size_t>(
                        std::ranges::count_if(trials_, [](const Trial& t) { return t.has_ended; }));
}

/// Returns a trial that has not ended and whose worker no longer works on it.
std::optional<std::size_t> Trials::left_behind(const Worker& worker) const
{
    for (std::size_t i = 0; i < trials_.size(); ++i)
        if (!trials_[i].has_ended && !worker.is_at_work(i, trials_[i].by))
            return i;
    return std::nullopt;
}

void Trials::read()
{
    const std::size_t damaged = sweep::read_journal(
        folder_ / file_name,
        [&](const nlohmann::json& entry) {
            try {
                learn(entry);
            } catch (const std::exception&) {
                is_damaged_ = true; // the line's checksum is right, but it is not a valid entry
            }
        },
        read_);
    is_damaged_ = is_damaged_ || damaged != 0;
    if (is_damaged_)
        throw config::Error((folder_ / file_name).string() +
                            ": has damaged lines; expected '--no-resume' or another '--out'");
}

void Trials::learn(const nlohmann::json& entry)
{
    if (head_.is_null()) {
        head_ = entry;
        return;
    }
    if (entry.contains("trial")) {
        if (entry.at("trial") != trials_.size())
            throw std::out_of_range("the trial is not the next one");
        trials_.push_back({entry.at("place"), entry.at("by"), false, std::nullopt});
        entries_.push_back({trials_.size() - 1, false});
    } else if (entry.contains("taken")) {
        trials_.at(entry.at("taken").get<std::size_t>()).by = entry.at("by");
    } else {
        Trial& trial = trials_.at(entry.at("ended").get<std::size_t>());
        if (std::exchange(trial.has_ended, true))
            return; // another worker took over this trial and has already ended it
        if (!entry.at("values").is_null())
            trial.values = entry.at("values").get<std::vector<double>>();
        entries_.push_back({entry.at("ended"), true});
    }
}

/// Must be called while a Turn exists, which locks the file.
void Trials::append(const nlohmann::json& entry)
{
    sweep::Journal(folder_ / file_name).append(entry);
    read();
}

} // namespace levee::explore
