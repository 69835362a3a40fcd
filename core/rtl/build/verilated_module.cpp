// SPDX-License-Identifier: Apache-2.0
// A Verilated design in a shared library, with its block's pins and the names that dlsym finds
// (module.hpp). Compiled like verilated_pins.cpp.
#include "core/rtl/verilated_pins.cpp"

extern "C" __attribute__((visibility("default"))) const void* levee_rtl_model()
{
    return &levee::LEVEE_DESIGN_NAMESPACE::LEVEE_DESIGN_MODEL;
}
