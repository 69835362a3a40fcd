// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/byte_shares.hpp"
#include "platform/run/energy_shares.hpp"
#include "platform/run/observer.hpp"
#include "platform/run/shares.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Records times, bytes and energies of each request (requests.csv), and computes figures over all
/// requests.
class RequestTimes final : public RunObserver {
public:
    explicit RequestTimes(const RunContext& run);
    static bool is_wanted(const RunInputs& inputs);

    void phase(levee_phase phase, std::uint64_t ps) override;
    void request(levee_request_event event, std::uint32_t number, std::uint64_t ps) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void report(Results& results) override;
    [[nodiscard]] std::vector<RequestSpan> request_spans() const override;
    [[nodiscard]] std::string text() const override { return text_; }

private:
    struct Times {
        std::uint64_t taken_ps = 0, first_token_ps = 0,
                      last_token_ps = 0; ///< 0: it has not happened
        std::uint64_t left_ps = 0;       ///< time at which the answer was complete
        std::uint64_t new_tokens = 0;
        std::uint64_t shared_tokens = 0; ///< tokens of the prompt that were not processed, since
                                         ///< their keys and values were reused
        /// Shared tokens whose keys and values were copied.
        std::uint64_t copied_tokens = 0;
    };
    /// The state of a request's prompt.
    enum class Prompt { None, Prefill, Copy };

    [[nodiscard]] std::string table() const;
    /// Returns the time from the arrival to `ps`, in seconds; nothing if `ps` is 0.
    [[nodiscard]] std::optional<double> since_arrival(std::size_t number, std::uint64_t ps) const;
    /// Returns the time from the arrival to the last token, or to the request's end if it has no
    /// token; nothing if the request has not ended.
    [[nodiscard]] std::optional<double> seconds_of(std::size_t number) const;
    /// Returns the mean time of the tokens after the first.
    [[nodiscard]] static std::optional<double> seconds_per_token(const Times& times);
    [[nodiscard]] bool meets_limits(std::size_t number) const;
    void report_goodput(Results& results) const;
    void report_energy(Results& results);
    void report_sharing(Results& results);
    void report_saved(Results& results);
    [[nodiscard]] std::uint64_t chunks_left_out(std::uint64_t chunk) const;
    void work_on(Prompt prompt, std::uint64_t ps);
    [[nodiscard]] std::string shared_cells(const Times& times) const;
    [[nodiscard]] std::vector<std::size_t> with_a_token() const;
    void spend(std::uint64_t ps, std::vector<std::size_t> owners, std::size_t parts);

    const PreparedWorkload& workload_;
    const Recorder& recorder_;
    const Observers& observers_;
    const std::optional<config::RequestLimits> limits_;
    const OutputFolder& folder_;
    std::vector<Times> times_;
    Shares busy_ps_; ///< the machine's time
    EnergyShares energy_;
    ByteShares bytes_;
    /// The request whose prompt is being processed, or was processed last.
    std::size_t prefilled_ = 0;
    std::uint64_t chunks_ = 0;
    Prompt prompt_ = Prompt::None;
    std::uint64_t prompt_since_ps_ = 0, prefill_ps_ = 0, copy_ps_ = 0;
    std::string text_;
};

} // namespace levee
