// SPDX-License-Identifier: Apache-2.0
// A Verilated design as a shared library: its block's pins, and where dlsym finds them
// (module.hpp). Compiled as verilated_pins.cpp is (core/rtl/verilated_pins.hpp), and with
//
//   LEVEE_DESIGN_PINS        the block's verilated_pins.cpp, in quotes
//   LEVEE_DESIGN_NAMESPACE   the block's, below levee
#include LEVEE_DESIGN_PINS

extern "C" __attribute__((visibility("default"))) const void* levee_rtl_model()
{
    return &levee::LEVEE_DESIGN_NAMESPACE::LEVEE_DESIGN_MODEL;
}
