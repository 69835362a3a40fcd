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

/// Values of a trial by objective, larger is better. Empty: the point cannot be used.
using Values = std::optional<std::vector<double>>;

/// A place that a worker proposes, and what it follows from.
struct Proposed {
    std::vector<double> place;
    std::size_t known = 0;   ///< Entries of the log that the proposal takes into account.
    std::size_t attempt = 0; ///< Proposals before it that were refused.
};

/// A point that is to run, that runs, or that has ended.
struct Trial {
    std::vector<double> place; ///< Empty: one of the first points, which are known otherwise.
    std::string by;            ///< name of its worker
    bool has_ended = false;
    Values values;
};

/// A step in a log of trials.
struct Entry {
    std::size_t trial = 0;
    bool is_end = false; ///< The trial has ended; otherwise it begins.
};

/// A trial that a worker is to run.
struct Taken {
    std::size_t trial = 0;
    bool was_begun = false; ///< Another worker, or an earlier one of this name, has left it.
};

/// The name and the callbacks with which a worker takes trials.
struct Worker {
    std::string name;
    /// Whether the worker of this name works on the trial.
    std::function<bool(std::size_t trial, const std::string& name)> is_at_work;
    /// The next place to try, by what the log says; nothing: none is found.
    std::function<std::optional<Proposed>()> propose;
    /// Whether no trial has the place's point yet.
    std::function<bool(const std::vector<double>& place)> is_new;
};

/// The trials of an exploration whose points are proposed whenever a worker is free: a file that
/// workers share, in which each trial's begin and end is recorded. Any number of processes may use
/// it at the same time, also on machines that share the folder.
class Trials {
public:
    static constexpr const char* file_name = "trials.log";

    /// The first entry of a folder's file; null: there is none.
    [[nodiscard]] static nlohmann::json head_in(const std::filesystem::path& folder);
    static void clear(const std::filesystem::path& folder);

    /// Creates the file with the entry `head`, or reads it. config::Error if it begins otherwise
    /// or, here and in the other functions, has damaged lines. The first trials' places are
    /// `first`. No trial begins when there are `most`.
    Trials(const std::filesystem::path& folder, const nlohmann::json& head,
           std::vector<std::vector<double>> first, std::size_t most);

    /// The next trial of the worker: one that it has left, one of a worker that is gone, one of the
    /// first, or one that it proposes. Nothing if there is none now.
    [[nodiscard]] std::optional<Taken> take(const Worker& worker);

    /// Records a trial's end.
    void end(std::size_t trial, const Values& values);

    [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
    /// All steps so far, in the order of the file.
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    /// The trials so far, and those that can begin.
    [[nodiscard]] std::size_t most() const { return std::max(most_, trials_.size()); }
    /// Trials without an end, and those that have not begun.
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
    std::uint64_t read_ = 0; ///< bytes of the file that have been read, in complete lines
    bool is_damaged_ = false;
    nlohmann::json head_;
    std::vector<Trial> trials_;
    std::vector<Entry> entries_;
};

} // namespace levee::explore
