// SPDX-License-Identifier: Apache-2.0
// A Verilated design as an object: what is the same for every block that has RTL.
//
// A block names its boundary once, in a struct Ports: `Inputs` and `Outputs` (the pins of one clock
// cycle, default: idle) and `Size` (what a design's parameters are).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace levee {

/// The side of a design that does not depend on its pins.
class RtlDesign {
public:
    virtual ~RtlDesign() = default;

    /// Some cycles of reset. Registers without one keep their contents.
    virtual void reset() = 0;
    /// The clock edge that ends the cycle.
    virtual void edge() = 0;

    /// Writes waves from here on; an empty path ends them.
    virtual void trace(const std::filesystem::path& fst) = 0;
    /// Assertions that have failed; a design built without them counts none.
    [[nodiscard]] virtual std::uint64_t failed_assertions() const = 0;
    /// How often each cover point was hit, by its name; empty in a design built without them.
    [[nodiscard]] virtual std::map<std::string, std::uint64_t> coverage() const = 0;
};

/// A design behind its block's pins, clock cycle by clock cycle.
template <typename Ports> class RtlPins : public RtlDesign {
public:
    [[nodiscard]] virtual const typename Ports::Size& size() const = 0;
    /// What the outputs are in this cycle with these inputs.
    virtual typename Ports::Outputs settle(const typename Ports::Inputs& inputs) = 0;
};

/// `seed`: of what registers contain before they are reset. `plusarg`: "+name=value", for the
/// design.
struct RtlPinsOptions {
    std::uint32_t seed = 1;
    std::string plusarg;
};

template <typename Ports>
using MakeRtlPins = std::unique_ptr<RtlPins<Ports>> (*)(const RtlPinsOptions&);

/// A Verilated design in one size.
template <typename Ports> struct RtlModel {
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
};

/// A design that can take its block's place, in one size.
template <typename Ports> struct RtlChoice {
    std::string name; ///< in scenarios (`rtl: NAME`) and of `levee cosim NAME`
    typename Ports::Size size;
    MakeRtlPins<Ports> make;
    /// The same design with assertions and cover points, for cosim; slower.
    MakeRtlPins<Ports> make_checked;
};

} // namespace levee
