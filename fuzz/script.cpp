// SPDX-License-Identifier: Apache-2.0
// Scripts that pause a run and change it, for a system with every block.
#include "platform/observe/debug/script.hpp"

#include "fuzz/machine.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static Machine machine;
    static const debug::MachineView view(machine.system(), machine.plan(), machine.program());
    return refusal<config::Error>(
        "input.script:", [&] { (void)debug::parse_script(view, text_of(input), "input.script"); });
}
