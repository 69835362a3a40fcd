// SPDX-License-Identifier: Apache-2.0
// Tests the log of trials that workers share. Workers and the durations of their runs are
// simulated.
#include "core/config/error.hpp"
#include "platform/studies/explore/trials.hpp"
#include "platform/studies/sweep/journal.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

using namespace levee::explore;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("levee_trials." + std::to_string(::getpid())))
    {
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

const nlohmann::json head{{"seed", 1}};
const std::vector<std::vector<double>> no_first;

/// Returns the duration of a trial's run, from 1 to 100 units, by the trial's number.
unsigned length_of(std::size_t trial)
{
    constexpr std::uint64_t multiplier = 6364136223846793005U, increment = 1442695040888963407U;
    return 1 + static_cast<unsigned>(((trial + 1) * multiplier + increment) >> 32) % 100;
}

/// Simulated processes that share a log of trials.
class Crowd {
public:
    Crowd(const fs::path& folder, unsigned workers, std::size_t trials)
    {
        for (unsigned i = 0; i < workers; ++i)
            workers_.push_back(std::make_unique<Simulated>(
                Simulated{Trials(folder, head, no_first, trials), "w" + std::to_string(i)}));
    }

    /// Runs all workers until `deadline`, or until nothing is left to do. Returns the time of the
    /// last end.
    unsigned run(unsigned deadline = ~0U)
    {
        unsigned now = 0;
        for (auto& worker : workers_)
            take(*worker, now);
        while (true) {
            Simulated* first = nullptr;
            for (auto& worker : workers_)
                if (worker->trial && (first == nullptr || worker->until < first->until))
                    first = worker.get();
            if (first == nullptr || first->until > deadline)
                return now;
            now = first->until;
            first->log.end(*first->trial, std::vector<double>{double(*first->trial)});
            ended.push_back(*first->trial);
            busy += length_of(*std::exchange(first->trial, std::nullopt));
            take(*first, now);
        }
    }

    std::vector<std::size_t> ended; ///< Trials in the order of their ends.
    std::uint64_t busy = 0;         ///< Total time of all workers' runs.

private:
    struct Simulated {
        Trials log;
        std::string name;
        std::optional<std::size_t> trial = std::nullopt;
        unsigned until = 0;
    };

    void take(Simulated& worker, unsigned now)
    {
        const auto is_at_work = [&](std::size_t trial, const std::string& name) {
            return std::ranges::any_of(workers_, [&](const auto& other) {
                return other->name == name && other->trial == trial;
            });
        };
        const auto propose = [&] {
            return Proposed{{double(worker.log.trials().size())}, worker.log.entries().size(), 0};
        };
        const auto is_new = [&](const std::vector<double>& place) {
            return std::ranges::none_of(worker.log.trials(),
                                        [&](const Trial& t) { return t.place == place; });
        };
        const auto taken = worker.log.take({worker.name, is_at_work, propose, is_new});
        if (!taken)
            return;
        worker.trial = taken->trial;
        worker.until = now + length_of(taken->trial);
    }

    std::vector<std::unique_ptr<Simulated>> workers_;
};

} // namespace

TEST_CASE("64 workers are busy for more than nine tenths of an asynchronous exploration")
{
    const Folder folder;
    constexpr unsigned workers = 64, trials = 1000;
    Crowd crowd(folder.path(), workers, trials);
    const unsigned end = crowd.run();
    CHECK(crowd.ended.size() == trials);
    CHECK(crowd.busy > std::uint64_t{end} * workers * 9 / 10);
    // An exploration in generations of 64 waits for the longest run of each generation.
    std::uint64_t by_generations = 0;
    for (std::size_t first = 0; first < trials; first += workers) {
        unsigned longest = 0;
        for (std::size_t i = first; i < std::min<std::size_t>(first + workers, trials); ++i)
            longest = std::max(longest, length_of(i));
        by_generations += longest;
    }
    CHECK(crowd.busy < by_generations * workers * 6 / 10);
}

TEST_CASE("trials of killed workers are taken over, and each trial ends once")
{
    const Folder folder;
    constexpr std::size_t trials = 200;
    std::vector<std::size_t> ended;
    for (const unsigned deadline : {120U, 300U, ~0U}) { // All workers are killed twice.
        Crowd crowd(folder.path(), 16, trials);
        crowd.run(deadline);
        ended.insert(ended.end(), crowd.ended.begin(), crowd.ended.end());
    }
    std::ranges::sort(ended);
    CHECK(ended.size() == trials);
    CHECK(std::ranges::adjacent_find(ended) == ended.end());
    const Trials log(folder.path(), head, no_first, trials);
    CHECK(log.left() == 0);
    CHECK(log.trials()[7].values == std::vector<double>{7});
}

TEST_CASE("an unfinished line is removed, and a damaged one is refused")
{
    const Folder folder;
    Crowd(folder.path(), 2, 5).run();
    const fs::path file = folder.path() / Trials::file_name;
    std::ofstream(file, std::ios::app) << "0123456789abcdef {\"trial\":";
    Crowd more(folder.path(), 2, 8);
    more.run();
    CHECK(more.ended.size() == 3);
    std::ofstream(file, std::ios::app) << "0123456789abcdef {\"trial\": 8}\n";
    CHECK_THROWS_WITH(Trials(folder.path(), head, no_first, 8),
                      Catch::Contains("trials.log: has damaged lines"));
    CHECK_THROWS_AS(Trials(folder.path(), head, no_first, 8), levee::config::Error);
}

TEST_CASE("a trial that is not the next one counts as damaged")
{
    const Folder folder;
    Crowd(folder.path(), 1, 2).run();
    const fs::path file = folder.path() / Trials::file_name;
    levee::sweep::Journal(file).append({{"trial", 1}, {"by", "w0"}, {"place", {7}}});
    CHECK_THROWS_WITH(Trials(folder.path(), head, no_first, 2),
                      Catch::Contains("trials.log: has damaged lines"));
}

TEST_CASE("a log with all trials of the budget gives no new ones, and ends with the running ones")
{
    const Folder folder;
    Crowd(folder.path(), 2, 5).run();
    const auto is_new = [](const std::vector<double>&) { return true; };
    const auto is_at_work = [](std::size_t, const std::string&) { return false; };
    const auto propose = []() -> std::optional<Proposed> { throw std::logic_error("proposed"); };
    Trials log(folder.path(), head, no_first, 3);
    CHECK(log.most() == 5);
    CHECK(log.left() == 0);
    CHECK(!log.take({"w0", is_at_work, propose, is_new}));
}

TEST_CASE("only new lines of a log are read, also when another process has written them")
{
    const Folder folder;
    Trials first(folder.path(), head, no_first, 9), second(folder.path(), head, no_first, 9);
    const auto is_new = [](const std::vector<double>&) { return true; };
    const auto is_at_work = [](std::size_t, const std::string&) { return true; };
    std::size_t number = 0;
    const auto propose = [&] { return Proposed{{double(number++)}, 0, 0}; };
    for (std::size_t i = 0; i < 8; ++i) {
        Trials& log = i % 2 == 0 ? first : second;
        CHECK(log.take({"w", is_at_work, propose, is_new})->trial == i);
        CHECK(log.trials().size() == i + 1);
        log.end(i, std::vector<double>{double(i)});
        std::ofstream(folder.path() / Trials::file_name, std::ios::app) << "0123 {\"trial\":";
    }
    CHECK(first.take({"w", is_at_work, propose, is_new})->trial == 8);
    CHECK(first.trials()[7].values == std::vector<double>{7});
    CHECK(first.left() == 1);
}

TEST_CASE("a log of another exploration is refused")
{
    const Folder folder;
    Crowd(folder.path(), 1, 2).run();
    CHECK_THROWS_WITH(Trials(folder.path(), {{"seed", 2}}, no_first, 2),
                      Catch::Contains("different axes, objectives, named points, common settings, "
                                      "optimiser or seed"));
    CHECK_THROWS_AS(Trials(folder.path(), {{"seed", 2}}, no_first, 2), levee::config::Error);
}
