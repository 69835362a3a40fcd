// SPDX-License-Identifier: Apache-2.0
// The boundary of the arrays' RTL (rtl/veda/veda_pe_arrays.sv): its pins, and the object that a
// Verilated design is behind them. A design that has these ports can take its place.
#pragma once

#include "ip/veda/beats.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace levee::veda {

struct Inputs {
    const Beat* beat = nullptr; ///< offered in this cycle; null: none
    bool take_result = false;   ///< if there is one
};

struct Outputs {
    bool takes_beat = false; ///< would, if one is offered
    bool has_result = false;
    bool outer = false;        ///< a result in each lane; else one in the first of an array
    std::uint32_t enabled = 0; ///< bit i: array i has results; arrays that are one: the first
                               ///< in inner mode, all in outer
    /// Of all arrays, until the next edge; 0 in lanes without a result.
    const std::uint32_t* lane = nullptr;
};

/// A design, clock cycle by clock cycle. A beat, once offered, is offered until it is taken.
class Pins {
public:
    virtual ~Pins() = default;

    [[nodiscard]] virtual const ArrayShape& shape() const = 0;

    /// Some cycles of reset. Registers without one keep what they hold.
    virtual void reset() = 0;
    /// What the outputs are in this cycle with these inputs.
    virtual Outputs settle(const Inputs& inputs) = 0;
    /// The clock edge that ends the cycle.
    virtual void edge() = 0;

    /// Writes waves from here on; an empty path ends them.
    virtual void trace(const std::filesystem::path& fst) = 0;
    /// Assertions that have failed; a design built without them counts none.
    [[nodiscard]] virtual std::uint64_t failed_assertions() const = 0;
    /// How often each cover point was hit, by its name; empty in a design built without them.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> coverage() const = 0;
};

/// `seed`: of what registers hold before they are reset. `plusarg`: "+name=value", for the design.
struct PinsOptions {
    std::uint32_t seed = 1;
    std::string plusarg;
};
using MakePins = std::unique_ptr<Pins> (*)(const PinsOptions&);

} // namespace levee::veda
