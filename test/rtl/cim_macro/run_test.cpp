// SPDX-License-Identifier: Apache-2.0
// Tests `impl:` of Titanus's cores in a scenario, which multiplies by the macro's RTL.
#include "test/rtl/figures.hpp"

using namespace levee::test;

TEST_CASE("every figure is the same with products by the RTL macro, and in lockstep")
{
    check_same_figures(
        [](const std::string& how) {
            return std::vector<std::string>{
                "run",   "pim/titanus_demo",          "--set", "system.memories.cim.impl=" + how,
                "--set", "workload.max_new_tokens=2", "--set", "workload.prompts=[The]"};
        },
        {"cim"});
}
