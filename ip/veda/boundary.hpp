// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::veda {

/// Model of the timing of the pins of two arrays, without values (ip/veda/README.md). The RTL is
/// checked against this model in every cycle.
class Boundary {
public:
    explicit Boundary(const ArrayShape& shape);

    void reset();
    /// Returns the outputs of this cycle, without the lanes' values.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    /// A beat in the pipeline: the arrays for which it ends a sum.
    struct Stage {
        bool valid = false;
        bool outer = false;
        std::uint32_t ends = 0;
    };

    [[nodiscard]] const Stage& at_port() const { return kept_.valid ? kept_ : results_.back(); }
    void advance(const Stage& taken);

    std::vector<Stage> inner_, outer_; ///< [0] was taken in the previous cycle.
    std::vector<Stage> results_;       ///< Results between the sums and the port.
    Stage kept_;                       ///< Result at the port while the pipeline stalls.
    std::size_t busy_;                 ///< Number of occupied stages of inner_, which an outer beat
                                       ///< must wait for.
};

} // namespace levee::veda
