// SPDX-License-Identifier: Apache-2.0
// Scenarios. They are composed, read and checked, without the keys of their components
// (components.cpp covers those).
#include "platform/input/config/scenario.hpp"

#include "fuzz/door.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const config::FileFinder finder(LEVEE_SCENARIOS);
    const std::string file = folder.write("input.yaml", input).string();
    return refusal<config::Error>("", [&] { (void)config::load_scenario({file, {}, {}}, finder); });
}
