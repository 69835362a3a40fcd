// SPDX-License-Identifier: Apache-2.0
// An eDRAM bank by bank: every access and every refresh of a row occupies its bank.
#pragma once

#include "core/memory/access_pattern.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram_cycle {

using Ps = std::uint64_t;

/// The simulated machine. Each side has `pairs` banks for bits 15:8 and as many for bits 7:0. Its
/// bytes lie in lines of two rows, line after line over the pairs.
struct Machine {
    std::uint64_t side_bytes = 0;
    unsigned sides = 1;
    unsigned pairs = 1; ///< pairs of one side
    std::uint64_t row_bytes = 128;
    std::uint64_t port_bytes = 16; ///< bytes of one access of one bank
    Ps access = 2'000;
    Ps refresh = 4'000;            ///< time to refresh one row
    std::array<Ps, 4> intervals{}; ///< high 15:8, high 7:0, low 15:8, low 7:0; 0: never
};

enum class Line : std::uint8_t { Invalid, Low, High };

/// The accesses of one requestor, as fast as the banks and its own pace allow.
struct Stream {
    AccessPattern pattern;
    Ps least_time = 0; ///< shortest time in which it requests all its bytes
};

struct Outcome {
    std::vector<Ps> done;                     ///< Last access by stream.
    std::array<std::uint64_t, 4> refreshed{}; ///< rows, by group
    /// Refreshes of each row: first bits 15:8 of line 0, then its bits 7:0, then line 1.
    std::vector<std::uint64_t> times;
    Ps latest = 0; ///< longest delay of a refresh beyond the end of its turn
};

/// Each bank serves one access or refresh at a time. Of the waiting streams the one that has moved
/// the fewest bytes goes next. Each stream has up to `window` accesses in flight, requested in
/// order. In each interval the rows of a group in a bank take turns of equal length. A row is
/// refreshed in its turn when no access waits for the bank, and at the end of its turn at the
/// latest.
class CycleEdram {
public:
    static constexpr std::size_t window = 256;

    /// `lines`: constant contents of each line on all sides.
    CycleEdram(const Machine& machine, const std::vector<Line>& lines);

    /// Runs the streams from time 0 until all are done, and refreshes until `end` at least.
    [[nodiscard]] Outcome run(const std::vector<Stream>& streams, Ps end);

private:
    struct Turn {
        Ps begins, ends;
        std::size_t row;
        unsigned group;
    };
    /// The rows of one group in one bank.
    struct Round {
        std::vector<std::size_t> rows;
        unsigned group;
        std::uint64_t next = 0; ///< turns that have begun
    };
    struct Access {
        unsigned pair;
        unsigned to_come = 2; ///< banks that still have to serve it
    };
    struct Flow {
        std::vector<unsigned> pairs; ///< pair of each access, in order
        Ps least_time = 0;
        std::size_t asked = 0, served = 0;
        /// Accesses served, counted as if it had never requested less than others.
        std::size_t share = 0;
        double may_ask = 0.0; ///< accesses that its pace allows now
        std::deque<Access> in_flight;
        std::size_t first_in_flight = 0;
        Ps done = 0;
    };
    struct Bank {
        Ps free_at = 0;
        std::vector<Round> rounds;
        std::deque<Turn> owed;                      ///< begun and not refreshed
        std::vector<std::deque<std::size_t>> asked; ///< Accesses by stream and number.
    };

    void place(const Stream& stream);
    void ask(Ps tick);
    void catch_up(Flow& flow);
    void begin_turns(Bank& bank, Ps now);
    void serve(Bank& bank, Ps now);
    void refresh(Bank& bank, Ps now);
    bool move(Bank& bank, Ps now);
    [[nodiscard]] bool all_done() const;

    Machine machine_;
    std::vector<Bank> banks_; ///< banks of pair p of all sides: 2p and 2p + 1
    std::vector<Flow> flows_;
    Outcome outcome_;
};

} // namespace levee::edram_cycle
