// SPDX-License-Identifier: Apache-2.0
// Timing rule of ip/voting_engine/README.md, in cycles.
#pragma once

#include <cstdint>
#include <deque>

namespace levee::voting_engine {

// Stages from the cycle that takes a vector's last element to the one that reads the first from the
// FIFO again. One unit computes the threshold's division, root and products, a few bits a cycle,
// and rounds each in a separate cycle.
inline constexpr std::uint64_t bits_per_cycle = 4;
inline constexpr std::uint64_t square_stages = 1, sum_stages = 1, add_stages = 1, round_stages = 1;
inline constexpr std::uint64_t quotient_bits = 28, root_bits = 28, product_bits = 24;
inline constexpr std::uint64_t divide_stages = quotient_bits / bits_per_cycle + round_stages;
inline constexpr std::uint64_t root_stages = root_bits / bits_per_cycle + round_stages;
inline constexpr std::uint64_t multiply_stages = product_bits / bits_per_cycle + round_stages;
/// 1 / l, mean^2, a * mean, sum / l, - mean^2 (and a cycle until its root begins), root,
/// b * deviation, -
inline constexpr std::uint64_t threshold_stages =
    2 * divide_stages + 3 * multiply_stages + root_stages + 2 * add_stages + 1;
/// Cycles from an entry's last vote to the next one's first element: its command, and its first
/// slot.
inline constexpr std::uint64_t entry_stages = 2;
/// Reading the FIFO and a count, then comparing and writing.
inline constexpr std::uint64_t pass_stages = 1;

/// Cycles from a vector's last element to the last of its votes, unless earlier vectors delay it.
[[nodiscard]] constexpr std::uint64_t lag(std::uint64_t length)
{
    return square_stages + sum_stages + threshold_stages + length + pass_stages;
}

/// ELECT and SELECT examine one slot a cycle; the result is ready a cycle after the last. SELECT
/// finds the largest number of votes with which tokens stay, bit by bit, then writes the rest.
[[nodiscard]] constexpr std::uint64_t select_cycles(std::uint64_t length, std::uint64_t capacity)
{
    constexpr std::uint64_t search_passes = 16;
    return length * (length > capacity ? search_passes + 1 : 1);
}

/// Vectors of one batch entry in the engine. One element enters per cycle, unless the FIFO is full
/// or a vector's sum waits until the previous vector's threshold has been used.
class EntryTime {
public:
    /// `capacity`: elements of the FIFO.
    explicit EntryTime(std::uint64_t capacity) : capacity_(capacity) {}

    /// The next vector that casts votes; 1 <= length <= capacity.
    void add(std::uint64_t length);

    /// Cycles from the first element on: to the last element, and to the last vote.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    [[nodiscard]] std::uint64_t passed() const;

private:
    /// A vector that leaves the FIFO from cycle `begin` on; `first`: number of its first element.
    struct Pass {
        std::uint64_t begin, first, length;
    };

    [[nodiscard]] std::uint64_t left_before(std::uint64_t cycle);
    void take_element();
    void skip_stall();

    std::uint64_t capacity_;
    std::uint64_t elements_ = 0;                      ///< elements that have entered
    std::uint64_t taken_ = 0;                         ///< the cycle after the last element's
    std::uint64_t next_ = 0;                          ///< the first in which another may enter
    std::uint64_t stalled_from_ = 0, stalled_to_ = 0; ///< no element in cycles [from, to)
    std::uint64_t handed_over_ = 0;                   ///< cycle in which the last vector's sum was
    std::deque<Pass> passes_;                         ///< the last one, and those before not ended
};

} // namespace levee::voting_engine
