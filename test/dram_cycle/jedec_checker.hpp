// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"
#include "test/dram_cycle/command.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee::dram_cycle {

/// Checks a channel's commands against the JEDEC rules, using only the parameters in picoseconds
/// and the history of commands. Commands must come in the order of time.
class JedecChecker {
public:
    /// With `rows_from_first`, tRCD and tRAS count from the first of an activate's two commands.
    explicit JedecChecker(const dram::Parameters& parameters, bool rows_from_first = false);

    void check(const Command& command);
    /// Call this at the end. Reports overdue refreshes, and reports a fault if no command was
    /// checked.
    void finish(std::uint64_t clock);

    /// Each fault names the rule, the place, the time, and by how much the rule was broken.
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
    [[nodiscard]] std::uint64_t checked() const { return checked_; }

private:
    /// Time of a past command, or empty if there was none.
    using Past = std::optional<std::int64_t>;

    struct BankHistory {
        bool open = false;
        std::uint32_t row = 0;
        Past activate, opened, precharge, read, write_data_end, refresh;
        bool by_all = false; ///< The last precharge closed all banks.
        std::uint64_t refreshes = 0;
    };
    struct GroupHistory {
        Past activate, read, write, write_data_end;
    };
    struct RankHistory {
        std::vector<BankHistory> banks;
        std::vector<GroupHistory> groups;
        std::deque<std::int64_t> activates; ///< The last four activates.
        Past activate, precharge, read, write, write_data_end, refresh_bank, refresh_all;
        std::uint64_t refreshes = 0;
    };

    void at_least(const char* rule, const Past& since, std::int64_t gap, const Command& command);
    void fault(const std::string& rule, const Command& command, const std::string& how);
    void check_bus(const Command& command);
    void check_activate(const Command& command);
    void check_second_activate(const Command& command);
    void check_second_in_time(const Command& command);
    void check_column(const Command& command, bool write);
    void check_data_bus(const Command& command, bool write);
    void check_precharge(const Command& command, unsigned bank);
    void check_refresh_bank(const Command& command);
    void check_refresh_all(const Command& command);
    void check_postponement(const Command& command);
    [[nodiscard]] unsigned group_of(unsigned bank) const;
    [[nodiscard]] std::int64_t burst_ps() const;
    [[nodiscard]] std::int64_t latency_ps(bool write) const;

    const dram::Parameters& parameters_;
    std::vector<RankHistory> ranks_;
    std::int64_t now_ = 0; ///< time in ps
    Past row_bus_free_, column_bus_free_;
    Past data_end_;
    std::optional<Command> first_activate_; ///< An activate whose second command is still missing.
    bool rows_from_first_;
    bool data_write_ = false;
    unsigned data_rank_ = 0;
    std::uint64_t checked_ = 0;
    std::vector<std::string> faults_;
};

} // namespace levee::dram_cycle
