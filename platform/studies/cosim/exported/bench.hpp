// SPDX-License-Identifier: Apache-2.0
// The bench that reference.cpp runs. Made by levee cosim --export.
#pragma once

#include "core/rtl/bench.hpp"

#define LEVEE_DESIGN levee::dpi::Bus
#define LEVEE_DESIGN_HEADER "bus.h"
#define LEVEE_DESIGN_MODEL exported
#define LEVEE_DESIGN_PINS "@folder@/pins.hpp"
#define LEVEE_DESIGN_NAMESPACE @name_space@
#define LEVEE_DESIGN_PARAMETERS @parameters@
#include "core/rtl/verilated_pins.cpp"

namespace levee::dpi {

constexpr const char* bench_name = "@block@";
constexpr std::size_t input_bits = @inputs@, output_bits = @outputs@;

inline std::unique_ptr<cosim::Bench> make_bench(std::uint32_t seed)
{
    return @name_space@::Ports::make_bench(@name_space@::exported.make, {seed, ""});
}

} // namespace levee::dpi
