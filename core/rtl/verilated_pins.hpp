// SPDX-License-Identifier: Apache-2.0
// Makes a Verilated design an RtlPins. For a block's verilated_pins.cpp only, which is compiled
// once for each design (cmake/LeveeRtl.cmake) with
//
//   LEVEE_DESIGN, LEVEE_DESIGN_HEADER   Verilator's class and its header
//   LEVEE_DESIGN_MODEL                  the name of the RtlModel that the file defines
//   LEVEE_DESIGN_<Parameter>            each parameter's value
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "core/rtl/verilated_design.hpp"

#define LEVEE_JOIN_NAMES(a, b) a##b
#define LEVEE_JOIN(a, b) LEVEE_JOIN_NAMES(a, b)

/// Whether the design's inputs are those of the evaluation before; read by its evaluation
/// (cmake/verilated_units.sh), which defines it, too.
__attribute__((weak)) bool LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = false;

namespace levee {

/// `Wiring` is the part that depends on the block:
///     using Ports, using Top (LEVEE_DESIGN)
///     static constexpr Ports::Size size
///     static void drive(Top&, const Ports::Inputs&)
///     static Ports::Outputs sample(Top&)
template <typename Wiring> class VerilatedPins final : public RtlPins<typename Wiring::Ports> {
public:
    using Ports = typename Wiring::Ports;

    explicit VerilatedPins(const RtlPinsOptions& options) : design_(options.seed, options.plusarg)
    {
        reset();
    }

    [[nodiscard]] const typename Ports::Size& size() const override { return Wiring::size; }
    void reset() override
    {
        design_.reset([this] { settle({}); });
    }
    typename Ports::Outputs settle(const typename Ports::Inputs& inputs) override
    {
        Wiring::drive(design_.top(), inputs);
        design_.settle();
        return Wiring::sample(design_.top());
    }
    void edge() override
    {
        LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = true;
        design_.edge();
        LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = false;
    }
    [[nodiscard]] bool can_trace() const override { return TracedModel<typename Wiring::Top>; }
    void trace(const WaveFile& file) override { design_.trace(file); }
    void time(std::uint64_t begin_ps, std::uint64_t end_ps) override
    {
        design_.time(begin_ps, end_ps);
    }
    void mark(std::uint64_t ps) override { design_.mark(ps); }
    [[nodiscard]] std::vector<std::uint8_t> save() override { return design_.save(); }
    void restore(const std::vector<std::uint8_t>& state) override { design_.restore(state); }
    [[nodiscard]] std::uint64_t failed_assertions() const override
    {
        return design_.failed_assertions();
    }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override
    {
        return design_.coverage();
    }

private:
    VerilatedDesign<typename Wiring::Top> design_;
};

template <typename Wiring>
inline constexpr RtlModel<typename Wiring::Ports> verilated_model{
    Wiring::size,
    [](const RtlPinsOptions& options) -> std::unique_ptr<RtlPins<typename Wiring::Ports>> {
        return std::make_unique<VerilatedPins<Wiring>>(options);
    }};

} // namespace levee
