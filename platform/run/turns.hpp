// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/energy_shares.hpp"
#include "platform/run/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Records the turns of a conversation (turns.csv), and computes figures over all of them.
class Turns final : public RunObserver {
public:
    explicit Turns(const RunContext& run);
    static bool is_wanted(const RunInputs& inputs);

    void phase(levee_phase phase, std::uint64_t ps) override;
    void request(levee_request_event event, std::uint32_t number, std::uint64_t ps) override;
    void token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps) override;
    void report(Results& results) override;

private:
    /// An interval in which keys and values are saved or loaded.
    struct Move {
        std::uint64_t begins_ps = 0, ends_ps = 0;
        std::uint64_t tokens = 0;
        energy::Attojoules energy = 0; ///< energy of the whole machine in this interval

        [[nodiscard]] std::uint64_t ps() const { return ends_ps - begins_ps; }
    };
    struct Turn {
        std::uint64_t arrives_ps = 0;
        Move save, resume; ///< in the pause before the turn
        std::optional<std::uint64_t> first_token_ps, ends_ps;
        std::uint64_t new_tokens = 0;
        std::uint32_t last_token = LEVEE_NO_TOKEN;
    };

    [[nodiscard]] static Turn begun(std::uint64_t ps);
    [[nodiscard]] static std::optional<double> first_token_s(const Turn& turn);
    [[nodiscard]] static std::optional<double> seconds_of(const Turn& turn);
    [[nodiscard]] static std::optional<double> tokens_per_s(const Turn& turn);
    [[nodiscard]] bool lacks_end(std::size_t turn) const;
    [[nodiscard]] bool is_forgotten(std::size_t turn) const;
    [[nodiscard]] std::string moved_cells(const Turn& turn) const;
    void report_moves(Results& results) const;
    [[nodiscard]] std::string table() const;

    const PreparedWorkload& workload_;
    const std::uint64_t timebase_hz_;
    const OutputFolder& folder_;
    const Recorder& recorder_;
    const Observers& observers_;
    EnergyShares energy_;
    std::vector<Turn> turns_;
    Move save_;            ///< the save before the next turn
    Move* move_ = nullptr; ///< the move in progress
};

} // namespace levee
