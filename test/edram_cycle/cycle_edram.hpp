// SPDX-License-Identifier: Apache-2.0
// An eDRAM bank by bank: every access and every refresh of a row takes its bank for its time.
#pragma once

#include "core/memory/access_pattern.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram_cycle {

using Ps = std::uint64_t;

/// The machine. A side has banks of bits 15:8 and as many of bits 7:0 (`pairs` of each); its bytes
/// lie in lines of two rows, line after line in pair after pair.
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
    Ps least_time = 0; ///< it asks no faster than all its bytes in this time
};

struct Outcome {
    std::vector<Ps> done;                     ///< by stream: its last access
    std::array<std::uint64_t, 4> refreshed{}; ///< rows, by group
    std::vector<std::uint64_t> times; ///< refreshes of each row: line 0's 15:8, its 7:0, line 1's
    Ps latest = 0;                    ///< longest that a refresh began after its turn was over
};

/// Each bank serves one access or refresh at a time. Of the streams that wait for it the one that
/// has moved the fewest bytes is next; each has up to `window` accesses in flight, which it asks
/// for in order. The rows of a group that a bank holds take turns of equal length in each interval:
/// a row is refreshed in its turn as soon as nobody waits for the bank, at the end of its turn in
/// any case.
class CycleEdram {
public:
    static constexpr std::size_t window = 256;

    /// `lines`: what each line of all sides holds, throughout.
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
        unsigned to_come = 2; ///< banks that have not served it
    };
    struct Flow {
        std::vector<unsigned> pairs; ///< pair of each access, in order
        Ps least_time = 0;
        std::size_t asked = 0, served = 0;
        std::size_t share = 0; ///< accesses served, as if it had never asked for less than others
        double may_ask = 0.0;  ///< accesses that its pace allows now
        std::deque<Access> in_flight;
        std::size_t first_in_flight = 0;
        Ps done = 0;
    };
    struct Bank {
        Ps free_at = 0;
        std::vector<Round> rounds;
        std::deque<Turn> owed;                      ///< begun and not refreshed
        std::vector<std::deque<std::size_t>> asked; ///< by stream: accesses by number
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
