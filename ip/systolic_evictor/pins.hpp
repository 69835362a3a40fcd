// SPDX-License-Identifier: Apache-2.0
// The boundary of the evictor's RTL (rtl/systolic_evictor/systolic_evictor.sv): its pins, and the
// object that a Verilated design is behind them. A design that has these ports can take its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace levee::systolic_evictor {

/// As driven in one clock cycle; names as in the RTL.
struct Inputs {
    bool cmd_valid = false;
    std::uint8_t cmd_rows = 0;
    std::uint16_t cmd_base = 0;
    bool cmd_signed = false;
    bool cmd_chain = false;
    bool cmd_found = false;
    std::uint16_t cmd_min = 0;
    std::uint16_t cmd_index = 0;

    bool load_valid = false;
    std::uint16_t load_score = 0;
    bool load_protected = false;

    bool score_valid = false;
    std::uint16_t score = 0;

    bool result_ready = false;
    bool update_ready = false;
};

struct Outputs {
    bool cmd_ready = false;
    bool load_ready = false;
    bool score_ready = false;

    bool result_valid = false;
    bool result_found = false;
    std::uint16_t result_min = 0;
    std::uint16_t result_index = 0;

    bool update_valid = false;
    std::uint16_t update_score = 0;
    bool update_last = false;
};

/// A design, clock cycle by clock cycle.
class Pins {
public:
    virtual ~Pins() = default;

    [[nodiscard]] virtual std::size_t rows() const = 0; ///< of a tile

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

/// `seed`: of what registers hold before they are reset. `plusargs`: "+name=value", for the design.
struct PinsOptions {
    std::uint32_t seed = 1;
    std::string plusarg;
};
using MakePins = std::unique_ptr<Pins> (*)(const PinsOptions&);

} // namespace levee::systolic_evictor
