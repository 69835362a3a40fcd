// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

namespace levee::voting_engine {

// Stages from the cycle that takes a vector's last element to the cycle that reads the vector's
// first element back from the FIFO. One unit computes the divisions, the root and the products of
// the threshold, a few bits per cycle. Each result is rounded in a separate cycle.
inline constexpr std::uint64_t bits_per_cycle = 4;
inline constexpr std::uint64_t square_stages = 1, sum_stages = 1, add_stages = 1, round_stages = 1;
inline constexpr std::uint64_t quotient_bits = 28, root_bits = 28, product_bits = 24;
inline constexpr std::uint64_t divide_stages = quotient_bits / bits_per_cycle + round_stages;
inline constexpr std::uint64_t root_stages = root_bits / bits_per_cycle + round_stages;
inline constexpr std::uint64_t multiply_stages = product_bits / bits_per_cycle + round_stages;
/// One stage for each step of the threshold: 1 / l, mean^2, a * mean, sum / l, subtraction of
/// mean^2 (and one more cycle until the root begins), root, b * deviation, subtraction.
inline constexpr std::uint64_t threshold_stages =
    2 * divide_stages + 3 * multiply_stages + root_stages + 2 * add_stages + 1;
/// Cycles from an entry's last vote to the first element of the next entry: the next entry's
/// command and first slot.
inline constexpr std::uint64_t entry_stages = 2;
/// Additional cycle of the output pass: a slot's count is read in one cycle, and updated and
/// written in the next.
inline constexpr std::uint64_t pass_stages = 1;

/// Cycles from a vector's last element to its last vote, unless earlier vectors delay it.
[[nodiscard]] constexpr std::uint64_t lag(std::uint64_t length)
{
    return square_stages + sum_stages + threshold_stages + length + pass_stages;
}

/// ELECT and SELECT examine one slot per cycle; the result is ready one cycle after the last slot.
/// SELECT first determines, bit by bit, the largest number of votes that a kept token has, then
/// writes the kept tokens.
[[nodiscard]] constexpr std::uint64_t select_cycles(std::uint64_t length, std::uint64_t capacity)
{
    constexpr std::uint64_t search_passes = 16;
    return length * (length > capacity ? search_passes + 1 : 1);
}

/// Vectors of one batch entry in the engine. One element enters per cycle, unless the FIFO is full,
/// or a vector's sum waits until the previous vector's threshold is in use.
class EntryTime {
public:
    /// `capacity` is the number of elements of the FIFO.
    explicit EntryTime(std::uint64_t capacity) : capacity_(capacity) {}

    /// Adds the next vector that casts votes; 1 <= length <= capacity.
    void add(std::uint64_t length);

    /// Cycles from the first element to the last element, and to the last vote.
    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    [[nodiscard]] std::uint64_t passed() const;

private:
    /// Output pass of a vector, whose elements leave the FIFO from cycle `begin` on. `first` is the
    /// number of the vector's first element.
    struct Pass {
        std::uint64_t begin, first, length;
    };

    [[nodiscard]] std::uint64_t left_before(std::uint64_t cycle);
    void take_element();
    void skip_stall();

    std::uint64_t capacity_;
    std::uint64_t elements_ = 0;                      ///< Elements that have entered.
    std::uint64_t taken_ = 0;                         ///< Cycle after the last element's cycle.
    std::uint64_t next_ = 0;                          ///< First cycle in which another element may
                                                      ///< enter.
    std::uint64_t stalled_from_ = 0, stalled_to_ = 0; ///< No element enters in cycles [from, to).
    std::uint64_t handed_over_ = 0;                   ///< Cycle in which the threshold unit got the
                                                      ///< last vector's sum.
    std::deque<Pass> passes_;                         ///< The last output pass, and earlier
                                                      ///< ones that have not ended.
};

} // namespace levee::voting_engine
