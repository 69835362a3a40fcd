// SPDX-License-Identifier: Apache-2.0
// An eDRAM that is simulated bank by bank. Every access and every refresh of a row occupies its
// bank.
#pragma once

#include "core/memory/access_pattern.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram_cycle {

using Ps = std::uint64_t;

/// The simulated machine. Each side has `pairs` banks for bits 15:8 and as many for bits 7:0. Bytes
/// are stored in lines, each a row in both banks of a pair; consecutive lines are in consecutive
/// pairs.
struct Machine {
    std::uint64_t side_bytes = 0;
    unsigned sides = 1;
    unsigned pairs = 1; ///< number of bank pairs on one side
    std::uint64_t row_bytes = 128;
    std::uint64_t port_bytes = 16; ///< Bytes of one access to one bank.
    Ps access = 2'000;
    Ps refresh = 4'000;            ///< Time to refresh one row.
    std::array<Ps, 4> intervals{}; ///< high 15:8, high 7:0, low 15:8, low 7:0; 0: never
};

enum class Line : std::uint8_t { Invalid, Low, High };

/// The accesses of one requestor, as fast as the banks and its own pace allow.
struct Stream {
    AccessPattern pattern;
    Ps least_time = 0; ///< Shortest time in which the stream requests all its bytes.
};

struct Outcome {
    std::vector<Ps> done;                     ///< Time of the last access of each stream.
    std::array<std::uint64_t, 4> refreshed{}; ///< number of refreshed rows of each group
    /// Number of refreshes of each row: first bits 15:8 of line 0, then its bits 7:0, then line 1.
    std::vector<std::uint64_t> times;
    Ps latest = 0; ///< Longest delay of a refresh beyond the end of its turn.
};

/// Each bank serves one access or refresh at a time. Among the waiting streams, the one that has
/// moved the fewest bytes goes next. Each stream has up to `window` accesses in flight, requested
/// in order. In each interval, the rows of a group in a bank take turns of equal length. A row is
/// refreshed in its turn when no access waits for the bank, and at the end of its turn at the
/// latest.
class CycleEdram {
public:
    static constexpr std::size_t window = 256;

    /// `lines` gives the state of each line, side by side; the states never change.
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
        std::uint64_t next = 0; ///< number of refresh turns that have begun
    };
    struct Access {
        unsigned pair;
        unsigned to_come = 2; ///< Banks that still have to serve the access.
    };
    struct Flow {
        std::vector<unsigned> pairs; ///< Bank pair of each access, in order.
        Ps least_time = 0;
        std::size_t asked = 0, served = 0;
        /// Number of accesses served, for arbitration: a stream that was idle counts as if it had
        /// been served as often as the others.
        std::size_t share = 0;
        double may_ask = 0.0; ///< number of accesses that the pace allows now
        std::deque<Access> in_flight;
        std::size_t first_in_flight = 0;
        Ps done = 0;
    };
    struct Bank {
        Ps free_at = 0;
        std::vector<Round> rounds;
        std::deque<Turn> owed;                      ///< Turns that have begun and whose row is not
                                                    ///< refreshed yet.
        std::vector<std::deque<std::size_t>> asked; ///< Waiting accesses, by stream and number.
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
