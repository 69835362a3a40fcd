// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecu/pins.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace levee::flash::ecu {

/// Timing of the unit's pins: the contract that its RTL is checked against, clock by clock
/// (docs/rtl_boundaries.md states it). It reads only the addresses of the passing records.
class Boundary {
public:
    /// Throws std::invalid_argument for a format with a fault.
    explicit Boundary(const Shape& shape);

    void reset();
    /// This cycle's readies, valids and out_last; values are 0.
    [[nodiscard]] Outputs settle(const Inputs& inputs) const;
    /// The clock edge that ends the cycle.
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
    // First pass.
    std::vector<std::uint8_t> code_; ///< Received part of the code.
    std::uint64_t received_bits_ = 0, taken_bits_ = 0;
    std::uint32_t fields_ = 0;             ///< Fields taken: copies of the threshold, then records.
    std::vector<std::uint32_t> addresses_; ///< Addresses of sorted records.
    std::optional<std::uint32_t> moving_;  ///< address of the record that is put in place
    std::size_t place_ = 0;                ///< Position of the comparison.
    // Second pass.
    std::uint32_t beats_ = 0; ///< Beats taken.
    bool held_ = false;       ///< Whether a beat is held whose last record has not been output.
    std::size_t head_ = 0;    ///< records used
    bool done_ = false;
};

} // namespace levee::flash::ecu
