// SPDX-License-Identifier: Apache-2.0
// Wraps a Verilated design as RtlPins. Only for verilated_pins.cpp.
#pragma once

#include "core/rtl/ports.hpp"
#include "core/rtl/verilated_design.hpp"

#define LEVEE_JOIN_NAMES(a, b) a##b
#define LEVEE_JOIN(a, b) LEVEE_JOIN_NAMES(a, b)

/// Whether the design's inputs are unchanged since the last evaluation. cmake/verilated_units.sh
/// makes Verilator's code define and read this variable.
__attribute__((weak)) bool LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = false;

namespace levee {

/// `Design` supplies the block's Ports, Verilator's class Top, and `size`.
template <typename Design> class VerilatedPins final : public RtlPins<typename Design::Ports> {
public:
    using Ports = typename Design::Ports;
    using Top = typename Design::Top;

    explicit VerilatedPins(const RtlPinsOptions& options) : design_(options.seed, options.plusarg)
    {
        reset();
    }

    [[nodiscard]] const typename Ports::Size& size() const override { return Design::size; }
    void reset() override
    {
        design_.reset([this] { settle({}); });
    }
    /// All calls are inlined (flatten), so that the bits in the table of ports become constants.
    [[gnu::flatten]] typename Ports::Outputs settle(const typename Ports::Inputs& inputs) override
    {
        Ports::inputs(inputs, Design::size, DriveInputs<Top>{design_.top()});
        design_.settle();
        typename Ports::Outputs outputs;
        Ports::outputs(outputs, Design::size, SampleOutputs<Top>{design_.top()});
        return outputs;
    }
    void edge() override
    {
        LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = true;
        design_.edge();
        LEVEE_JOIN(LEVEE_DESIGN, _is_settled) = false;
    }
    [[nodiscard]] bool can_trace() const override { return TracedModel<Top>; }
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
    VerilatedDesign<Top> design_;
};

template <typename Design>
inline constexpr RtlModel<typename Design::Ports> verilated_model{
    Design::size,
    [](const RtlPinsOptions& options) -> std::unique_ptr<RtlPins<typename Design::Ports>> {
        return std::make_unique<VerilatedPins<Design>>(options);
    }};

} // namespace levee
