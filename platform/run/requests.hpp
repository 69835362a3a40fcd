// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The times of requests: requests.csv, and figures of all.
class RequestTimes final : public RunObserver {
public:
    explicit RequestTimes(const RunContext& run);
    static bool is_wanted(const RunInputs& inputs);

    void request(std::uint32_t number, std::uint64_t ps) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void report(Results& results) override;

private:
    struct Times {
        std::uint64_t taken_ps = 0, first_token_ps = 0, last_token_ps = 0; ///< 0: not yet
        std::uint64_t new_tokens = 0;
        bool ended = false; ///< with its last token
    };

    [[nodiscard]] std::string table() const;
    /// ps: 0 if it has not been.
    [[nodiscard]] std::optional<double> since_arrival(std::size_t number, std::uint64_t ps) const;
    /// Mean time of a token after the first.
    [[nodiscard]] static std::optional<double> seconds_per_token(const Times& times);

    const PreparedWorkload& workload_;
    const OutputFolder& folder_;
    std::vector<Times> times_;
};

} // namespace levee
