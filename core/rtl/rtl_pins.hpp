// SPDX-License-Identifier: Apache-2.0
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

/// The part of a design's interface that is independent of its pins.
class RtlDesign {
public:
    virtual ~RtlDesign() = default;

    /// Resets the design for some cycles. Registers without a reset keep their contents.
    virtual void reset() = 0;
    /// Applies the clock edge that ends the cycle.
    virtual void edge() = 0;

    /// Whether the design was built with support for waveforms.
    [[nodiscard]] virtual bool can_trace() const { return true; }
    /// Starts writing waveforms. Without a path, stops. Throws std::runtime_error if the file
    /// cannot be written.
    virtual void trace(const WaveFile& file) = 0;
    /// Sets the times of the next cycle. Without this call, a cycle takes standalone_period_ps.
    virtual void time(std::uint64_t /*begin_ps*/, std::uint64_t /*end_ps*/) {}
    /// Records the present values of all signals, at `ps`.
    virtual void mark(std::uint64_t /*ps*/) {}
    /// The design's state; empty if the design cannot save it.
    [[nodiscard]] virtual std::vector<std::uint8_t> save() { return {}; }
    /// Restores a state from save() of the same design.
    virtual void restore(const std::vector<std::uint8_t>& /*state*/) {}
    /// Number of failed assertions; always 0 if the design was built without assertions.
    [[nodiscard]] virtual std::uint64_t failed_assertions() const = 0;
    /// Hits of each cover point, by name; empty if the design was built without cover points.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> coverage() const = 0;
};

/// A design with its block's pins, simulated clock cycle by clock cycle.
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

/// A Verilated design with fixed sizes.
template <typename Ports> struct RtlModel {
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
};

/// Sources of a design and of its block's boundary, relative to the source tree. With them,
/// core/rtl/build can build the design or the boundary while Levee runs.
struct RtlSource {
    const char* name_space; ///< Namespace of the block, below levee.
    const char* folder;     ///< Folder of the block, with its pins.hpp.
    const char* top;        ///< The design's module.
    const char* files;      ///< Files of the design, in order, separated by semicolons.
    const char* parameters; ///< "Name=value ...": the sizes that the block's C++ knows.
};

/// A design with fixed sizes that can replace its block's reference.
template <typename Ports> struct RtlChoice {
    std::string name; ///< Name in scenarios (`rtl: NAME`) and for `levee cosim NAME`.
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
    /// Makes the same design with assertions and cover points, for cosim; it is slower.
    MakeRtlPins<Ports> make_checked;
    const RtlSource* source = nullptr;
};

} // namespace levee
