// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/dram/parameters.hpp"
#include "test/dram_cycle/clocks.hpp"
#include "test/dram_cycle/command.hpp"
#include "test/dram_cycle/jedec_checker.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace levee::dram_cycle {

/// A request for one burst.
struct Request {
    std::size_t owner = 0;
    unsigned rank = 0;
    unsigned bank = 0;
    std::uint32_t row = 0;
    bool write = false;
    bool urgent = false;
    std::uint64_t served_before = 0; ///< kept by ChannelController
};

/// The simulator whose choices among legal commands this controller imitates (peer_manner.cpp).
enum class Manner {
    Own,
    DramSys,  ///< precharges before reads; write batches between a high and a low mark of the queue
    Ramulator ///< oldest possible command; write batches between marks; tRCD and tRAS count from
              ///< the first command of an activate
};

/// The controller of one channel, simulated clock by clock. In each clock it examines every waiting
/// request and every bank, and issues what the rules allow. It serves row hits first, then the
/// oldest request, keeps pages open and batches writes. It refreshes bank by bank or all banks at
/// once. Parameters::controller may change the policy. This controller shares nothing with ip/dram
/// except the parameters.
class ChannelController {
public:
    struct Done {
        Request request;
        std::uint64_t data_end; ///< clock in which the burst's data end
    };

    explicit ChannelController(const dram::Parameters& parameters, Manner manner = Manner::Own);

    [[nodiscard]] bool accepts(bool write) const;
    void accept(const Request& request);

    /// Advances by one clock. Returns the transferred burst if its column command was issued.
    std::optional<Done> tick(std::uint64_t clock);

    [[nodiscard]] bool idle() const
    {
        return reads_.empty() && writes_.empty() && openers_.empty();
    }
    [[nodiscard]] JedecChecker& checker() { return checker_; }
    [[nodiscard]] std::uint64_t issued(CommandKind kind) const
    {
        return issued_[static_cast<std::size_t>(kind)];
    }

private:
    static constexpr std::int64_t long_ago = -1'000'000'000;
    static constexpr std::int64_t not_yet = -1'000 * long_ago;

    struct Bank {
        std::optional<std::uint32_t> row;
        std::int64_t activated = long_ago; ///< Time of the first command of an activate.
        std::int64_t opened = long_ago;    ///< Time of the activate's second (or only) command.
        std::int64_t precharged = long_ago;
        std::int64_t read = long_ago;
        std::int64_t written = long_ago; ///< clock of the last write command
        std::int64_t refreshed = long_ago;
        std::int64_t recovery = 0; ///< precharge time after the bank's last precharge
        bool had_its_turn = false; ///< The bank has been refreshed in this round.
    };
    struct Rank {
        std::vector<Bank> banks;
        std::array<std::int64_t, 4> activated{long_ago, long_ago, long_ago, long_ago};
        std::int64_t refreshed_bank = long_ago;
        std::int64_t refreshed_all = long_ago;
        std::int64_t precharged = long_ago;
        std::uint64_t refreshes = 0;
        std::optional<unsigned> quiesced; ///< This bank gets no more commands until it has been
                                          ///< refreshed.
        bool blocked = false;
    };
    /// An activate whose second command has not been issued yet.
    struct Opening {
        unsigned rank = 0, bank = 0;
        std::uint32_t row = 0;
        std::int64_t by = 0; ///< clock in which the second command is due
    };
    struct Wanted {
        bool hit = false, urgent = false, urgent_hit = false;
    };

    void choose_direction();
    bool refresh(unsigned rank);
    bool refresh_one_bank(unsigned rank, bool only_forced);
    bool refresh_rank(unsigned rank);
    bool close_or_refresh(unsigned rank, unsigned bank);
    void survey();
    std::optional<Done> column_command();
    [[nodiscard]] Done transfer(const Request& request);
    bool row_command(bool only_precharge = false);
    [[nodiscard]] bool drains_to_low_mark() const;
    std::optional<Done> oldest_first();
    bool first_possible(std::deque<Request>& queue, bool column, bool row,
                        std::optional<Done>& done);
    void take_step(std::deque<Request>& queue, std::deque<Request>::iterator at,
                   std::optional<Done>& done);
    bool second_activate(bool at_the_latest);
    void issue(CommandKind kind, unsigned rank, unsigned bank, std::uint32_t row);
    [[nodiscard]] unsigned bus_clocks(CommandKind kind) const;
    void record_row(CommandKind kind, unsigned rank, unsigned bank, std::uint32_t row);
    void record_data(bool write, unsigned rank, unsigned bank);
    void record_refresh(CommandKind kind, unsigned rank, unsigned bank);
    [[nodiscard]] std::uint64_t owed(unsigned rank) const;
    /// Counts the waiting requests of each bank of a rank.
    const std::vector<std::size_t>& waiting_for(unsigned rank);
    [[nodiscard]] bool may_activate(const Rank& rank, unsigned bank) const;
    [[nodiscard]] bool may_precharge(const Rank& rank, const Bank& bank) const;
    [[nodiscard]] bool may_refresh(const Rank& rank, unsigned bank) const;
    [[nodiscard]] bool may_read_or_write(const Request& request) const;
    [[nodiscard]] bool barred(const Request& request) const
    {
        const Rank& rank = ranks_[request.rank];
        return rank.blocked || rank.quiesced == request.bank;
    }
    [[nodiscard]] bool hit(const Request& request) const
    {
        return ranks_[request.rank].banks[request.bank].row == request.row;
    }
    [[nodiscard]] bool in_order() const
    {
        return parameters_.controller.arbitration == dram::ArbitrationMode::InOrder;
    }
    /// Returns the index of the request's bank in the channel.
    [[nodiscard]] std::size_t index_of(const Request& request) const
    {
        return std::size_t{request.rank} * parameters_.banks_per_rank() + request.bank;
    }
    [[nodiscard]] Wanted& wanted_of(const Request& request) { return wanted_[index_of(request)]; }
    [[nodiscard]] bool since(std::int64_t past, std::uint64_t clocks) const
    {
        return now_ - past >= static_cast<std::int64_t>(clocks);
    }
    /// Returns whether at least `time` has passed since `past`.
    [[nodiscard]] bool after(std::int64_t past, Picoseconds time) const
    {
        return (now_ - past) * static_cast<std::int64_t>(in_clocks_.clock) >=
               static_cast<std::int64_t>(time);
    }
    [[nodiscard]] std::uint64_t latency(bool write) const
    {
        return in_clocks_(write ? t_.write_latency : t_.read_latency);
    }
    [[nodiscard]] unsigned group_of(unsigned bank) const
    {
        return bank / parameters_.organisation.banks;
    }

    const dram::Parameters& parameters_;
    Manner manner_;
    WholeClocks in_clocks_;
    const dram::Timing& t_;
    JedecChecker checker_;
    std::deque<Request> reads_, writes_; ///< oldest request first
    /// For Manner::Ramulator: requests that have opened a row and not yet used it.
    std::deque<Request> openers_;
    std::vector<Rank> ranks_;
    std::vector<std::vector<std::array<std::int64_t, 2>>> columns_; ///< by [rank][group][write]
    std::vector<Wanted> wanted_;       ///< by bank of the channel, for the current direction
    std::vector<std::size_t> waiting_; ///< indexed by bank of a rank; used by waiting_for
    std::optional<Opening> opening_;
    bool urgent_ready_ = false;
    bool draining_ = false;
    unsigned in_a_row_ = 0;
    std::array<std::uint64_t, 2> served_{}; ///< bursts served, by [write]
    std::int64_t now_ = 0;
    std::int64_t row_bus_free_ = 0;
    std::int64_t column_bus_free_ = 0;
    std::int64_t data_end_ = long_ago;
    unsigned data_rank_ = 0;
    bool data_write_ = false;
    std::array<std::uint64_t, 8> issued_{};
};

} // namespace levee::dram_cycle
