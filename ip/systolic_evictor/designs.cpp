// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/designs.hpp"

namespace levee::systolic_evictor {

// One maker for each library that rtl/CMakeLists.txt makes of verilated_pins.cpp.
std::unique_ptr<Pins> make_chain(const PinsOptions& options);
std::unique_ptr<Pins> make_chain_checked(const PinsOptions& options);
std::unique_ptr<Pins> make_tree(const PinsOptions& options);
std::unique_ptr<Pins> make_tree_checked(const PinsOptions& options);

std::span<const Design> designs()
{
    static const Design all[] = {
        {"systolic_evictor", 32, make_chain, make_chain_checked},
        {"systolic_evictor_tree", 32, make_tree, make_tree_checked},
    };
    return all;
}

} // namespace levee::systolic_evictor
