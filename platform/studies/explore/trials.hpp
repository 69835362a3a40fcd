// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::explore {

/// A trial's objectives, where larger is better; nothing if the point cannot be used.
using Values = std::optional<std::vector<double>>;

/// A place that a worker proposes, and what the proposal depends on.
struct Proposed {
    std::vector<double> place;
    std::size_t known = 0;   ///< number of entries of the log that the proposer knew
    std::size_t attempt = 0; ///< number of refused proposals before this one
};

struct Trial {
    std::vector<double> place; ///< empty for the first points that have no place
    std::string by;
    bool has_ended = false;
    Values values;
};

struct Entry {
    std::size_t trial = 0;
    bool is_end = false; ///< true: the trial has ended; false: it begins
};

/// A trial that a worker must run.
struct Taken {
    std::size_t trial = 0;
    bool was_begun = false; ///< another worker began the trial, but did not finish it
};

/// A worker that takes trials: its name and its functions.
struct Worker {
    std::string name;
    /// Returns whether the worker `name` is working on the trial.
    std::function<bool(std::size_t trial, const std::string& name)> is_at_work;
    /// Proposes the next place, given the log so far; nothing if none is found.
    std::function<std::optional<Proposed>()> propose;
    /// Returns whether no trial so far has the place's point.
    std::function<bool(const std::vector<double>& place)> is_new;
};

/// The trials of an exploration in flight. They are in a file that all workers share, and that
/// records the begin and end of each trial. Any number of processes may use it at the same time,
/// also on several machines that share the folder.
class Trials {
public:
    static constexpr const char* file_name = "trials.log";

    /// Returns the first entry of the file in a folder; null if there is none.
    [[nodiscard]] static nlohmann::json head_in(const std::filesystem::path& folder);
    static void clear(const std::filesystem::path& folder);

    /// Creates the file with the entry `head`, or reads it. `first` are the places of the first
    /// trials, and `most` limits the number of trials. Throws config::Error if the file has another
    /// first entry. All functions throw it if the file has damaged lines.
    Trials(const std::filesystem::path& folder, const nlohmann::json& head,
           std::vector<std::vector<double>> first, std::size_t most);

    /// Returns the worker's next trial: a trial that another worker has left, one of the first
    /// trials, or one that this worker proposes. Nothing if there is none now.
    [[nodiscard]] std::optional<Taken> take(const Worker& worker);

    void end(std::size_t trial, const Values& values);

    [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
    /// Returns all entries so far, in the order of the file.
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// Returns the number of trials that the exploration will have at its end.
    [[nodiscard]] std::size_t most() const { return std::max(most_, trials_.size()); }
    [[nodiscard]] std::size_t left() const;

private:
    class Turn;
    [[nodiscard]] std::optional<std::size_t> left_behind(const Worker& worker) const;
    void read();
    void learn(const nlohmann::json& entry);
    void append(const nlohmann::json& entry);

    std::filesystem::path folder_;
    std::vector<std::vector<double>> first_;
    std::size_t most_;
    std::uint64_t read_ = 0; ///< number of bytes of the file that were read, as complete lines
    bool is_damaged_ = false;
    nlohmann::json head_;
    std::vector<Trial> trials_;
    std::vector<Entry> entries_;
};

} // namespace levee::explore
