// SPDX-License-Identifier: Apache-2.0
// Tests reports about wrong programs that write to the model, trap, or complete interrupts wrongly.
#include "test/system/checks.hpp"

using namespace levee::test;

TEST_CASE("a trap instruction that ends a program is reported, and a handled one is not")
{
    const Workplace place;
    check_says(run(place, "breakpoint"),
               {"[core] ebreak, and no debugger is connected; pc 0x", "<main"});
    check_says(run(place, "environment_call"), {"[core] ecall: no execution environment", "<main"});
    CHECK(run(place, "yields").text.find("ecall") == std::string::npos);
}

TEST_CASE("completing an interrupt that was not claimed is reported")
{
    const Workplace place;
    const Outcome outcome = run(place, "not_claimed");
    check_says(outcome, {"[core] completes interrupt ", "which it has not claimed"});
    CHECK(outcome.code == 7);
}

TEST_CASE("a write into the model's image is reported with the tensor that it hits")
{
    const Workplace place;
    const Outcome block = run_in("demo", place, "over_model");
    check_says(block, {"[dma] COPY, tag 74, writes destination at 0x",
                       "over the model's image, in W", " of layer "});
    CHECK(block.code == 7);
    const Outcome core = run_in("demo", place, "store_to_model");
    check_says(core, {"[core] writes 4 bytes at 0x",
                      "in the model's image, in its header and table of tensors; pc 0x", "<main"});
    CHECK(core.code == 7);
    CHECK(core.text.find("tag 75") == std::string::npos);
}
