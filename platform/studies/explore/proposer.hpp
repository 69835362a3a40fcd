// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/explore/search_space.hpp"
#include "platform/studies/explore/trials.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace levee::explore {

/// A place that an optimiser proposes (SearchSpace::at).
struct Proposal {
    std::size_t id = 0;
    std::vector<double> place;
};

/// The result of a proposal.
struct Answer {
    std::size_t id = 0;
    Values values;
    bool withdrawn = false; ///< an equal one is still to be answered
};

/// The optimiser: proposer.py, or a user's file, in its own process, which exchanges lines of JSON.
/// It runs on Debian's Python (/usr/bin/python3), or on the interpreter that the environment
/// variable LEVEE_PYTHON names. The same seed and answers give the same proposals.
class Proposer {
public:
    /// std::runtime_error if the process cannot be started or lacks the optimiser's package.
    /// `file` takes the place of proposer.py.
    Proposer(const std::vector<Dimension>& dimensions, std::size_t objectives, std::uint64_t seed,
             const std::optional<std::filesystem::path>& file = std::nullopt);
    ~Proposer();
    Proposer(const Proposer&) = delete;
    Proposer& operator=(const Proposer&) = delete;

    /// The first proposals: `number` places all over the space.
    [[nodiscard]] std::vector<Proposal> start(std::size_t number);
    /// The most promising next proposals.
    [[nodiscard]] std::vector<Proposal> ask(std::size_t number);
    /// A place at random.
    [[nodiscard]] Proposal draw();
    /// Answers each proposal once.
    void tell(const std::vector<Answer>& answers);

    /// Takes the trials' begin or end into account, from the entry `from` on; for propose().
    void learn(const Trials& trials, std::size_t from);
    /// A place that follows from the seed, the entries that have been learned, the worker's name
    /// and the number of its refused attempts.
    [[nodiscard]] std::vector<double> propose(const std::string& worker, std::size_t attempt);

private:
    void send(const nlohmann::json& request);
    [[nodiscard]] nlohmann::json receive();
    [[nodiscard]] std::vector<double> place_in(const nlohmann::json& answer) const;
    [[nodiscard]] std::string name() const;
    [[nodiscard]] std::vector<Proposal> proposals(const nlohmann::json& request);

    std::string python_;
    std::string file_;
    std::size_t dimensions_;
    pid_t process_ = 0;
    int to_ = -1, from_ = -1;
    std::string received_; ///< Received bytes after the last whole line.
};

} // namespace levee::explore
