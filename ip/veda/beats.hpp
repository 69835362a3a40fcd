// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::veda {

/// Inputs of the arrays in one cycle (rtl/veda/veda_pe_arrays.sv). Bit i of `enabled`, `first`,
/// `last`, `odd` and `merge` refers to array i.
struct Beat {
    Configuration configuration;
    std::uint32_t enabled = 0;
    std::uint32_t first = 0; ///< First beat of a sum, or of the sum's second partial sum.
    std::uint32_t last = 0;
    std::uint32_t odd = 0;          ///< Beats that add to the second partial sum.
    std::uint32_t merge = 0;        ///< Beats without operands; the last one adds up the partial
                                    ///< sums.
    std::vector<std::uint8_t> lane; ///< 1: the lane has operands.
    std::vector<std::uint16_t> a, b;

    /// Destination of the results of a sum that ends in this beat, for each array. Joined arrays
    /// use the first entry.
    struct Target {
        std::uint32_t* out = nullptr;
        std::uint32_t n = 0; ///< Index of the first of these results in the product.
        std::uint32_t count = 0;
    };
    std::vector<Target> target;
};

/// Divides products that run in parallel into beats.
class BeatSource {
public:
    BeatSource(const ArrayShape& shape, const Configuration& configuration,
               std::span<const Product> side_by_side);

    /// Writes the next beat to `beat`. Returns false if there is none.
    [[nodiscard]] bool next(Beat& beat);

private:
    /// The part of a product in one beat.
    struct Piece {
        std::uint32_t k = 0, n = 0;       ///< Start of the part.
        std::uint32_t count = 0;          ///< Number of lanes that it uses.
        bool first = false, last = false; ///< First and last beat of a sum. `first` also marks the
                                          ///< first beat of the second partial sum.
        bool odd = false;                 ///< Adds to the second partial sum.
        bool merge = false;               ///< The beat has no operands.
    };

    [[nodiscard]] Piece piece_at(const Product& product, std::uint64_t index) const;
    void place(Beat& beat, std::size_t array, const Product& product, const Piece& piece) const;

    ArrayShape shape_;
    Configuration configuration_;
    std::span<const Product> products_;
    std::uint32_t lanes_;
    std::uint64_t count_, index_ = 0;
};

} // namespace levee::veda
