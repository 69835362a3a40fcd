// SPDX-License-Identifier: Apache-2.0
// Interface to a Verilated design, common to every block that has RTL.
//
// A block declares its boundary once, in a struct Ports (ports.hpp): `Inputs` and `Outputs` (the
// pins in one clock cycle, default: idle) and `Size` (the design's parameters).
#pragma once

#include "core/rtl/rtl_waves.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace levee::cosim {
class Bench;
}

namespace levee {

/// The part of a design's interface that does not depend on its pins.
class RtlDesign {
public:
    virtual ~RtlDesign() = default;

    /// Resets the design for some cycles. Registers without a reset keep their contents.
    virtual void reset() = 0;
    /// Applies the clock edge that ends the cycle.
    virtual void edge() = 0;

    /// Whether the design was built with support for waveforms.
    [[nodiscard]] virtual bool can_trace() const { return true; }
    /// Starts writing waveforms; without a path it stops. Throws std::runtime_error if the file
    /// cannot be written.
    virtual void trace(const WaveFile& file) = 0;
    /// Sets the times `begin_ps` and `end_ps` of the next cycle; without this call a cycle takes
    /// standalone_period_ps.
    virtual void time(std::uint64_t /*begin_ps*/, std::uint64_t /*end_ps*/) {}
    /// Records the present values of all signals, at `ps`.
    virtual void mark(std::uint64_t /*ps*/) {}
    /// The design's state; empty: the design cannot save it.
    [[nodiscard]] virtual std::vector<std::uint8_t> save() { return {}; }
    /// Returns to a state that save() of the same design has returned.
    virtual void restore(const std::vector<std::uint8_t>& /*state*/) {}
    /// Number of failed assertions; always 0 in a design built without them.
    [[nodiscard]] virtual std::uint64_t failed_assertions() const = 0;
    /// Hits of each cover point, by name; empty in a design built without them.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> coverage() const = 0;
};

/// A design behind its block's pins, simulated clock cycle by clock cycle.
template <typename Ports> class RtlPins : public RtlDesign {
public:
    [[nodiscard]] virtual const typename Ports::Size& size() const = 0;
    /// Outputs of this cycle for these inputs.
    virtual typename Ports::Outputs settle(const typename Ports::Inputs& inputs) = 0;
};

/// `seed` determines the contents of registers before reset. `plusarg` is "+name=value", passed to
/// the design.
struct RtlPinsOptions {
    std::uint32_t seed = 1;
    std::string plusarg;
};

template <typename Ports>
using MakeRtlPins = std::unique_ptr<RtlPins<Ports>> (*)(const RtlPinsOptions&);

/// A Verilated design of one size.
template <typename Ports> struct RtlModel {
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
};

/// Sources of a design and of its block's boundary, relative to the source tree; sufficient to
/// build either while Levee runs (core/rtl/build).
struct RtlSource {
    const char* name_space; ///< Namespace of the block, below levee.
    const char* folder;     ///< Folder of the block, with its pins.hpp.
    const char* top;        ///< the design's module
    const char* files;      ///< Files of the design, in order, separated by semicolons.
    const char* parameters; ///< "Name=value ...": the sizes that the block's C++ knows
};

/// A design of one size that can replace its block.
template <typename Ports> struct RtlChoice {
    std::string name; ///< Name for scenarios (`rtl: NAME`) and for `levee cosim NAME`.
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
    /// The same design with assertions and cover points, for cosim; slower.
    MakeRtlPins<Ports> make_checked;
    const RtlSource* source = nullptr;
};

} // namespace levee
