// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/designs.hpp"

namespace levee::veda {

// One maker for each library that CMakeLists.txt makes of verilated_pins.cpp.
std::unique_ptr<Pins> make_pins_8x8(const PinsOptions& options);
std::unique_ptr<Pins> make_pins_2x2(const PinsOptions& options);

std::span<const Design> designs()
{
    static const Design all[] = {
        {"veda_8x8", {2, 8, 8}, make_pins_8x8},
        {"veda_2x2", {2, 2, 2}, make_pins_2x2},
    };
    return all;
}

} // namespace levee::veda
