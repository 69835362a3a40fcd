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

/// A place that an optimiser proposes, in the form of SearchSpace::at().
struct Proposal {
    std::size_t id = 0;
    std::vector<double> place;
};

struct Answer {
    std::size_t id = 0;
    Values values;
    bool withdrawn = false; ///< a duplicate: the earlier, equal proposal will get the result
};

/// The optimiser, proposer.py or a user's file. It runs in a process of its own and exchanges lines
/// of JSON. Its interpreter is Debian's Python (/usr/bin/python3), or the one that the environment
/// variable LEVEE_PYTHON names. The same seed and answers always give the same proposals.
class Proposer {
public:
    /// `file` replaces proposer.py. Throws std::runtime_error if the process cannot be started or
    /// if the optimiser's package is missing.
    Proposer(const std::vector<Dimension>& dimensions, std::size_t objectives, std::uint64_t seed,
             const std::optional<std::filesystem::path>& file = std::nullopt);
    ~Proposer();
    Proposer(const Proposer&) = delete;
    Proposer& operator=(const Proposer&) = delete;

    /// Returns the first `number` proposals, which are spread over the space.
    [[nodiscard]] std::vector<Proposal> start(std::size_t number);
    /// Returns the next `number` proposals, which the optimiser expects to be good.
    [[nodiscard]] std::vector<Proposal> ask(std::size_t number);
    [[nodiscard]] Proposal draw();
    /// Tells the optimiser results. Every proposal must be answered once.
    void tell(const std::vector<Answer>& answers);

    /// Tells the optimiser the log's entries from `from` on, which propose() needs.
    void learn(const Trials& trials, std::size_t from);
    /// Returns a place that depends only on the seed, the log read so far, the worker's name, and
    /// the number of refused attempts.
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
    std::string received_; ///< received bytes after the last complete line
};

} // namespace levee::explore
