// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/pins.hpp"

#include <cstdint>
#include <optional>

namespace levee::voting_engine {

/// Timing of the voting engine's pins, without values: the contract that its RTL is checked
/// against, clock by clock (docs/rtl_boundaries.md states it).
class Boundary {
public:
    /// `capacity`: elements of the FIFO.
    explicit Boundary(std::uint32_t capacity) : capacity_(capacity) {}

    void reset() { *this = Boundary(capacity_); }
    /// This cycle's readies, valids and store_last; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    struct Vector {
        std::uint32_t length = 0;
        bool is_last = false;
    };
    /// The events at the end of a cycle.
    struct Moves {
        bool slot, element, element_last, handed_over, starts, read, vector, entry, election;
    };

    [[nodiscard]] bool stalls() const { return sum_ && threshold_; }
    [[nodiscard]] bool leaves() const { return slot_ && pass_is_last_; }
    [[nodiscard]] bool advances(const Inputs& inputs) const;
    [[nodiscard]] bool is_idle() const;
    [[nodiscard]] Moves moves(const Inputs& inputs) const;
    void take_slot(const Moves& moves);
    void take_element(const Moves& moves);
    void make_threshold(const Moves& moves);
    void pass(const Moves& moves, bool advance);

    std::uint32_t capacity_;
    // The waiting command.
    bool waits_ = false, waiting_elects_ = false, waiting_first_ = false;
    Vector waiting_;
    std::uint32_t waiting_slots_ = 0;
    // Slots of an entry, or of an election.
    bool slots_open_ = false, electing_ = false, result_ = false;
    std::uint32_t loaded_ = 0, slots_end_ = 0;
    // The vector that enters, and elements in the FIFO.
    std::optional<Vector> entering_;
    std::uint32_t index_ = 0, stored_ = 0;
    bool square_ = false, square_is_last_ = false; ///< an element is squared
    Vector squared_;                               ///< the vector whose last element that is
    std::optional<Vector> sum_;                    ///< waits to be handed over
    std::optional<Vector> threshold_;              ///< is made, or waits for its pass
    std::uint32_t threshold_cycles_ = 0;           ///< Cycles to go; 0: waiting.
    // The pass: reading, and the slot whose count is made.
    std::optional<Vector> reading_;
    std::uint32_t read_index_ = 0;
    bool slot_ = false, slot_is_last_ = false, pass_is_last_ = false;
};

} // namespace levee::voting_engine
