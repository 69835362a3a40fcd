// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::element_serial {

/// Timing of the unit's pins: the contract that its RTL is checked against, clock by clock
/// (docs/rtl_boundaries.md states it).
class Boundary {
public:
    explicit Boundary(const Shape& shape) : shape_(shape) {}

    void reset();
    /// This cycle's readies and valids; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    /// An element that waits in the FIFO.
    struct Waiting {
        bool vector_first, tile_last, last;
    };

    [[nodiscard]] static std::uint64_t out_fill(const Configuration& configuration);
    [[nodiscard]] static std::uint64_t sums_fill(const Configuration& configuration);
    [[nodiscard]] bool lends(const Configuration& configuration) const;
    [[nodiscard]] bool leaves() const;
    void pass_elements(const Inputs& in, const Outputs& out);
    void pass_results(const Configuration& configuration);
    void pass_set_up(const Inputs& in, const Outputs& out);

    Shape shape_;
    std::uint32_t elements_ = 0; ///< bit i: an element was taken i + 1 steps ago
    std::uint32_t lasts_ = 0;    ///< Last elements of vectors, counted likewise.
    std::uint32_t results_ = 0;  ///< bit i: a vector's last element left the FIFO i + 1 steps ago
    std::deque<Waiting> fifo_;
    std::uint32_t in_tile_ = 0; ///< elements of a tile that is not complete
    bool tiles_first_ = true;   ///< the next element to enter the FIFO is the first of a vector
    std::uint32_t tiles_ = 0;   ///< complete tiles in the FIFO
    std::uint32_t age_ = 0;     ///< steps until the last vector that has begun may leave
    /// The offered element was taken while an untaken result holds up everything.
    bool out_taken_ = false;
    bool result_taken_ = false; ///< Whether the result was taken, likewise.
    std::uint32_t pause_ = 0;   ///< steps until a softmax's next vector may begin
    bool vector_first_ = true;  ///< the next element is the first of a vector
    bool streaming_ = false;    ///< In NORMALISE: elements of a vector are streaming.
    std::uint64_t set_up_ = 0;  ///< number of steps since statistics were taken; 0: none are taken
};

} // namespace levee::element_serial
