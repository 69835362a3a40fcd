// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/lockstep.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace levee {

/// State of a design and of its boundary model, between two pieces of work.
template <typename Boundary> struct RtlState {
    std::vector<std::uint8_t> design;
    Boundary boundary;
};

/// A piece of work that a design received, with its time.
template <typename Boundary, typename Work> struct RtlPiece {
    std::shared_ptr<const Work> work;
    RtlOperation operation;
    RtlPlace place;
    std::uint64_t ps = 0;    ///< Simulated time of the piece's first cycle.
    std::uint64_t cycle = 0; ///< The driver's cycle at that time.
    /// State before the piece; null if it was not saved.
    std::shared_ptr<const RtlState<Boundary>> state;
};

/// A design's recent work, with its state at intervals, so that the work can be repeated. The size
/// is bounded: at most `states` states are kept, and the work since the oldest of them, which is
/// about states * interval cycles.
template <typename Boundary, typename Work> class RtlHistory {
public:
    using Piece = RtlPiece<Boundary, Work>;
    static constexpr std::size_t states = 4;
    static constexpr std::uint64_t interval = 65536; ///< In cycles.

    /// Whether to save the state before a piece that begins in `cycle`.
    [[nodiscard]] bool is_due(std::uint64_t cycle) const
    {
        return pieces_.empty() || cycle >= last_state_ + interval;
    }
    void add(Piece piece)
    {
        if (piece.state != nullptr) {
            last_state_ = piece.cycle;
            ++kept_;
        }
        pieces_.push_back(std::move(piece));
        if (kept_ <= states)
            return;
        do
            pieces_.pop_front();
        while (pieces_.front().state == nullptr);
        --kept_;
    }
    /// Adds a piece for a design that cannot save its state. Only the last pieces are kept, and are
    /// repeated from reset.
    void add_stateless(Piece piece)
    {
        pieces_.push_back(std::move(piece));
        constexpr std::size_t most = 8;
        if (pieces_.size() > most)
            pieces_.pop_front();
    }
    [[nodiscard]] const std::deque<Piece>& pieces() const { return pieces_; }

private:
    std::deque<Piece> pieces_;
    std::uint64_t last_state_ = 0;
    std::size_t kept_ = 0;
};

} // namespace levee
