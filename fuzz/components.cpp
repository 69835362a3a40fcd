// SPDX-License-Identifier: Apache-2.0
// Scenarios, including the keys of their components. Each component type has its own reader of
// keys.
#include "fuzz/door.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/machine/assembly/plan.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const config::FileFinder finder(LEVEE_SCENARIOS);
    const std::string file = folder.write("input.yaml", input).string();
    return refusal<config::Error>("", [&] {
        (void)plan_system_of(config::load_scenario({file, {}, {}}, finder));
    });
}
