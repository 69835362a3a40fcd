// SPDX-License-Identifier: Apache-2.0
// Replaces core/rtl/verilated_pins.hpp in an exported reference, which has no Verilator
// (docs/own_rtl.md). The design is in another simulator. LEVEE_DESIGN is a struct with the design's
// ports.
#pragma once

#include "core/rtl/ports.hpp"
#include "link.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

using CData = std::uint8_t;
using SData = std::uint16_t;
using IData = std::uint32_t;
using QData = std::uint64_t;
using EData = std::uint32_t;

/// A value of more than 64 bits, lowest word first.
template <std::size_t words> struct VlWide {
    EData word[words];
    [[nodiscard]] EData* data() { return word; }
    [[nodiscard]] const EData* data() const { return word; }
};

namespace levee {

/// The block's pins, connected to the design in the other simulator.
template <typename Design> class RemotePins final : public RtlPins<typename Design::Ports> {
public:
    using Ports = typename Design::Ports;
    using Top = typename Design::Top;

    RemotePins() { reset(); }

    [[nodiscard]] const typename Ports::Size& size() const override { return Design::size; }
    void reset() override
    {
        constexpr int cycles = 2;
        top_.rst_ni = 0;
        for (int i = 0; i < cycles; ++i)
            settle({});
        top_.rst_ni = 1;
    }
    typename Ports::Outputs settle(const typename Ports::Inputs& inputs) override
    {
        Ports::inputs(inputs, Design::size, DriveInputs<Top>{top_});
        dpi::cycle(top_);
        typename Ports::Outputs outputs;
        Ports::outputs(outputs, Design::size, SampleOutputs<Top>{top_});
        return outputs;
    }
    /// The simulator makes the clock edges.
    void edge() override {}
    void trace(const WaveFile&) override {}
    [[nodiscard]] std::uint64_t failed_assertions() const override { return 0; }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override { return {}; }

private:
    Top top_{};
};

template <typename Design>
inline constexpr RtlModel<typename Design::Ports> verilated_model{
    Design::size, [](const RtlPinsOptions&) -> std::unique_ptr<RtlPins<typename Design::Ports>> {
        return std::make_unique<RemotePins<Design>>();
    }};

} // namespace levee
