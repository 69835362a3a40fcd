// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/voting_engine/pins.hpp"

#include <cstdint>
#include <optional>

namespace levee::voting_engine {

/// Model of the timing of the voting engine's pins, without values (docs/rtl_boundaries.md). The
/// RTL is checked against this model in every cycle.
class Boundary {
public:
    /// `capacity` is the number of elements of the FIFO.
    explicit Boundary(std::uint32_t capacity) : capacity_(capacity) {}

    void reset() { *this = Boundary(capacity_); }
    /// Returns the ready and valid outputs and store_last of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    struct Vector {
        std::uint32_t length = 0;
        bool is_last = false;
    };
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
    // slots_open_: slots of an entry are being taken; electing_: slots of an election are being
    // taken; result_: a result waits to be taken.
    bool slots_open_ = false, electing_ = false, result_ = false;
    std::uint32_t loaded_ = 0, slots_end_ = 0;
    // The vector that is entering, and the elements in the FIFO.
    std::optional<Vector> entering_;
    std::uint32_t index_ = 0, stored_ = 0;
    bool square_ = false, square_is_last_ = false; ///< An element is in the squaring stage.
    Vector squared_;                               ///< The vector whose last element is in that
                                                   ///< stage.
    std::optional<Vector> sum_;                    ///< The vector whose sum waits for the threshold
                                                   ///< unit.
    std::optional<Vector> threshold_;              ///< The vector whose threshold is being
                                                   ///< computed, or waits for its output pass.
    std::uint32_t threshold_cycles_ = 0;           ///< Remaining cycles of the computation; 0: the
                                                   ///< threshold waits.
    // State of the output pass: the vector that is read, and the slot whose count is computed.
    std::optional<Vector> reading_;
    std::uint32_t read_index_ = 0;
    bool slot_ = false, slot_is_last_ = false, pass_is_last_ = false;
};

} // namespace levee::voting_engine
