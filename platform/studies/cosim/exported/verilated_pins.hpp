// SPDX-License-Identifier: Apache-2.0
// In the place of core/rtl/verilated_pins.hpp where there is no Verilator: in an exported
// reference (docs/own_rtl.md), whose design is in somebody else's simulator. LEVEE_DESIGN is a
// struct with the design's ports, and LEVEE_PORTS lists them.
#pragma once

#include "core/rtl/rtl_pins.hpp"
#include "link.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

using CData = std::uint8_t;
using SData = std::uint16_t;
using IData = std::uint32_t;
using QData = std::uint64_t;
using EData = std::uint32_t;

/// More than 64 bits, lowest word first.
template <std::size_t words> struct VlWide {
    EData word[words];
    [[nodiscard]] EData* data() { return word; }
    [[nodiscard]] const EData* data() const { return word; }
};

namespace levee {

/// The design in the simulator, behind the block's pins.
template <typename Wiring> class RemotePins final : public RtlPins<typename Wiring::Ports> {
public:
    using Ports = typename Wiring::Ports;

    RemotePins() { reset(); }

    [[nodiscard]] const typename Ports::Size& size() const override { return Wiring::size; }
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
        Wiring::drive(top_, inputs);
        dpi::cycle(top_);
        return Wiring::sample(top_);
    }
    /// Of the simulator.
    void edge() override {}
    void trace(const WaveFile&) override {}
    [[nodiscard]] std::uint64_t failed_assertions() const override { return 0; }
    [[nodiscard]] std::map<std::string, std::uint64_t> coverage() const override { return {}; }

private:
    typename Wiring::Top top_{};
};

template <typename Wiring>
inline constexpr RtlModel<typename Wiring::Ports> verilated_model{
    Wiring::size, [](const RtlPinsOptions&) -> std::unique_ptr<RtlPins<typename Wiring::Ports>> {
        return std::make_unique<RemotePins<Wiring>>();
    }};

} // namespace levee
