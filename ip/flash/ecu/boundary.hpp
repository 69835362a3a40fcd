// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::flash::ecu {

/// Model of the timing of the unit's pins (docs/rtl_boundaries.md). The RTL is checked against this
/// model in every cycle. The only data that the model uses are the addresses of records.
class Boundary {
public:
    /// Throws std::invalid_argument for a format with a fault.
    explicit Boundary(const Shape& shape);

    void reset();
    /// Returns the ready and valid outputs and out_last of this cycle. Data outputs are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// Applies the clock edge that ends the cycle.
    void edge(const Inputs& inputs);

private:
    [[nodiscard]] bool has_all_fields() const;
    [[nodiscard]] std::uint64_t next_field_bits() const;
    [[nodiscard]] bool has_field() const;
    [[nodiscard]] bool moves() const;
    [[nodiscard]] bool record_is_here() const;
    void take_code(const Beat& beat);
    void take_field();
    void place_record();

    Shape shape_;
    // State of the first pass, over the code.
    std::vector<std::uint8_t> code_; ///< Received part of the code.
    std::uint64_t received_bits_ = 0, taken_bits_ = 0;
    std::uint32_t fields_ = 0;             ///< Fields taken: copies of the threshold, then records.
    std::vector<std::uint32_t> addresses_; ///< Addresses of sorted records.
    std::optional<std::uint32_t> moving_;  ///< Address of the record being inserted.
    std::size_t place_ = 0;                ///< Sorted record that is compared with `moving_`.
    // State of the second pass, over the page.
    std::uint32_t beats_ = 0; ///< Number of beats taken.
    bool held_ = false;       ///< Whether an input beat waits for its output.
    std::size_t head_ = 0;    ///< Number of records used.
    bool done_ = false;
};

} // namespace levee::flash::ecu
