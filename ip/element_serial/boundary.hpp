// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/pins.hpp"

#include <cstdint>
#include <deque>

namespace levee::element_serial {

/// Model of the timing of the unit's pins (docs/rtl_boundaries.md). The RTL is checked against this
/// model in every cycle.
class Boundary {
public:
    explicit Boundary(const Shape& shape) : shape_(shape) {}

    void reset();
    /// Returns the ready and valid outputs of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    /// An element in the FIFO.
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
    std::uint32_t elements_ = 0; ///< Bit i: an element was taken i + 1 steps ago.
    std::uint32_t lasts_ = 0;    ///< Bit i: the last element of a vector was taken i + 1 steps ago.
    std::uint32_t results_ = 0;  ///< Bit i: a vector's last element left the FIFO i + 1 steps ago.
    std::deque<Waiting> fifo_;
    std::uint32_t in_tile_ = 0; ///< Elements of an incomplete tile.
    bool tiles_first_ = true;   ///< The next element to enter the FIFO is the first of a vector.
    std::uint32_t tiles_ = 0;   ///< Complete tiles in the FIFO.
    std::uint32_t age_ = 0;     ///< Steps until the vector that entered last may leave.
    /// The offered element was taken, although the unit stalls because a result is not taken.
    bool out_taken_ = false;
    /// The offered result was taken, although the unit stalls because an element is not taken.
    bool result_taken_ = false;
    std::uint32_t pause_ = 0;  ///< Steps until a softmax's next vector may begin.
    bool vector_first_ = true; ///< The next element is the first of a vector.
    bool streaming_ = false;   ///< NORMALISE: elements of a vector are passing.
    /// Steps since the statistics entered the set-up stage; 0: the stage is empty.
    std::uint64_t set_up_ = 0;
};

} // namespace levee::element_serial
