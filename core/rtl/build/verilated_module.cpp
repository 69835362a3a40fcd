// SPDX-License-Identifier: Apache-2.0
// A Verilated design as a shared library: behind its block's pins, and where dlsym finds it
// (module.hpp). Compiled as verilated_pins.cpp is.
#include "core/rtl/verilated_pins.cpp"

extern "C" __attribute__((visibility("default"))) const void* levee_rtl_model()
{
    return &levee::LEVEE_DESIGN_NAMESPACE::LEVEE_DESIGN_MODEL;
}
