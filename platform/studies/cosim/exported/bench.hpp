// SPDX-License-Identifier: Apache-2.0
// The bench that reference.cpp runs: made by levee cosim --export.
#pragma once

#include "@bench@.hpp"
#include "@folder@/verilated_pins.cpp"

namespace levee::dpi {

constexpr const char* bench_name = "@block@";
constexpr std::size_t input_bits = @inputs@, output_bits = @outputs@;

inline std::unique_ptr<cosim::Bench> make_bench(std::uint32_t seed)
{
    return cosim::@maker@(levee::@name_space@::exported.make, {seed, ""});
}

} // namespace levee::dpi
