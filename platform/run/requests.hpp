// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/energy_shares.hpp"
#include "platform/run/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The times and energies of requests: requests.csv, and figures of all.
class RequestTimes final : public RunObserver {
public:
    explicit RequestTimes(const RunContext& run);
    static bool is_wanted(const RunInputs& inputs);

    void phase(levee_phase phase, std::uint64_t ps) override;
    void request(levee_request_event event, std::uint32_t number, std::uint64_t ps) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void report(Results& results) override;
    [[nodiscard]] std::string text() const override { return text_; }

private:
    struct Times {
        std::uint64_t taken_ps = 0, first_token_ps = 0, last_token_ps = 0; ///< 0: not yet
        std::uint64_t left_ps = 0; ///< when it had all of its answer
        std::uint64_t new_tokens = 0;
    };

    [[nodiscard]] std::string table() const;
    /// ps: 0 if it has not been.
    [[nodiscard]] std::optional<double> since_arrival(std::size_t number, std::uint64_t ps) const;
    /// From the arrival to the last token; without one to the end of the prefill.
    [[nodiscard]] std::optional<double> seconds_of(std::size_t number) const;
    /// Mean time of a token after the first.
    [[nodiscard]] static std::optional<double> seconds_per_token(const Times& times);
    [[nodiscard]] bool meets_limits(std::size_t number) const;
    void report_goodput(Results& results) const;
    void report_energy(Results& results);
    [[nodiscard]] std::vector<std::size_t> with_a_token() const;
    void spend(std::uint64_t ps, std::vector<std::size_t> owners, std::size_t parts);

    const PreparedWorkload& workload_;
    const Recorder& recorder_;
    const Observers& observers_;
    const std::optional<config::RequestLimits> limits_;
    const OutputFolder& folder_;
    std::vector<Times> times_;
    EnergyShares energy_;
    std::string text_;
};

} // namespace levee
