// SPDX-License-Identifier: Apache-2.0
// Checks explanations of differences between two runs against hand-worked ones.
#include "platform/studies/compare/compare_text.hpp"

#include <catch2/catch.hpp>

using namespace levee::compare;

namespace {

/// Run A takes 2 + 8 = 10 s and 100 J, run B takes 2 + 3 = 5 s and 60 J. Decoding explains the
/// whole difference in time.
std::vector<RunResults> runs()
{
    RunResults a, b;
    a.name = "A";
    a.figures = {{"sim.seconds", 10},
                 {"prefill.seconds", 2},
                 {"decode.seconds", 8},
                 {"bounds.decode.rsa.memory_dram_seconds", 6},
                 {"bounds.decode.rsa.wait_sfu_seconds", 1},
                 {"bounds.decode.rsa.pace_seconds", 1},
                 {"energy.total_j", 100},
                 {"energy.dram.read_j", 70},
                 {"energy.dram_j", 70},
                 {"energy.rsa.mac_j", 30},
                 {"energy.phase.decode.dram_j", 60},
                 {"energy.operation.rsa.gemm_j", 30}};
    a.texts = {{"bound_by", "dram"}};
    a.scenario = {{"system.blocks.rsa.rows", "32"}, {"seed", "1"}};
    b = a;
    b.name = "B";
    b.figures["sim.seconds"] = 5;
    b.figures["decode.seconds"] = 3;
    b.figures["bounds.decode.rsa.memory_dram_seconds"] = 2;
    b.figures.erase("bounds.decode.rsa.wait_sfu_seconds");
    b.figures["energy.total_j"] = 60;
    b.figures["energy.dram.read_j"] = 20;
    b.figures["energy.rsa.mac_j"] = 40;
    b.scenario["system.blocks.rsa.rows"] = "64";
    b.scenario["system.blocks.rsa.extra"] = "yes";
    return {a, b};
}

const Division& division(const Comparison& comparison, const std::string& name)
{
    for (const Division& all : comparison.divisions)
        if (all.name == name)
            return all;
    FAIL("the comparison has no division " + name);
    return comparison.divisions.front();
}

} // namespace

TEST_CASE("time and energy are divided into parts, sorted by how much they explain")
{
    const Comparison both = compare(runs());
    const Division& time = division(both, "time by phase");
    REQUIRE(time.parts.size() == 1); // The prefill and the other parts do not differ.
    CHECK(time.parts[0].name == "decode");
    CHECK(*time.parts[0].shares[1] == 1.0); // This part explains 5 of 5 s.
    const Division& decode = division(both, "time of decode by block and cause");
    REQUIRE(decode.parts.size() == 1); // Only its wait for another block differs, not its own pace.
    CHECK(decode.parts[0].name == "rsa: memory_dram");
    CHECK(*decode.parts[0].shares[1] == Approx(0.8)); // This part explains 4 of 5 s.
    CHECK_FALSE(decode.adds_up);
    const Division& energy = division(both, "energy by component");
    // Only events of components are listed, so that their energies add up.
    REQUIRE(energy.parts.size() == 2);
    CHECK(energy.parts[0].name == "dram: read");
    CHECK(*energy.parts[0].shares[1] == Approx(1.25)); // This part explains 50 of 40 J.
    CHECK(*energy.parts[1].shares[1] == Approx(-0.25));
}

TEST_CASE("a run without energy does not count as 0 J, so its parts explain nothing")
{
    std::vector<RunResults> both = runs();
    std::erase_if(both[1].figures,
                  [](const auto& figure) { return figure.first.starts_with("energy."); });
    for (const bool turned : {false, true}) {
        if (turned)
            std::swap(both[0], both[1]);
        const Comparison comparison = compare(both);
        const Division& energy = division(comparison, "energy by component");
        REQUIRE(energy.parts.size() == 2);
        for (const Line& part : energy.parts)
            CHECK_FALSE(part.shares[1]);
        CHECK_THAT(comparison_csv(comparison),
                   Catch::Contains(turned ? "energy by component,dram: read,,70,\n"
                                          : "energy by component,dram: read,70,,\n"));
        CHECK(*division(comparison, "time by phase").parts[0].shares[1] == 1.0);
    }
}

TEST_CASE("differing keys and figures are listed, also if one run lacks them")
{
    const Comparison both = compare(runs());
    REQUIRE(both.scenario.size() == 2);
    CHECK(both.scenario[0].name == "system.blocks.rsa.extra");
    CHECK(both.scenario[0].values == std::vector<std::string>{"", "yes"});
    CHECK(both.scenario[1].values == std::vector<std::string>{"32", "64"});
    // This figure is 1 in one run and missing in the other.
    CHECK(both.figures[0].name == "bounds.decode.rsa.wait_sfu_seconds");
    CHECK(both.figures.size() == 7);
}

TEST_CASE("two equal runs have no difference to explain")
{
    std::vector<RunResults> same{runs()[0], runs()[0]};
    const Comparison none = compare(same);
    CHECK(none.divisions.empty());
    CHECK(none.figures.empty());
    CHECK_THAT(comparison_text(none), Catch::Contains("The scenarios are the same.\n"));
}

TEST_CASE("text and CSV show the shares")
{
    const Comparison both = compare(runs());
    CHECK_THAT(comparison_text(both), Catch::Contains("  sim.seconds        10     5  -50.0 %\n"));
    CHECK_THAT(comparison_text(both),
               Catch::Contains("dram: read              70  20   125.0 %\n"));
    const std::string csv = comparison_csv(both);
    CHECK_THAT(csv, Catch::StartsWith("table,name,A,B,share of B\n"));
    CHECK_THAT(csv, Catch::Contains("energy by component,dram: read,70,20,1.25\n"));
    CHECK_THAT(csv, Catch::Contains("scenario,system.blocks.rsa.rows,32,64,\n"));
    CHECK(comparison_data(both)["divisions"][0]["parts"][0]["shares"][1] == 1.0);
}

TEST_CASE("runs that are not directly comparable say why")
{
    std::vector<RunResults> both = runs();
    CHECK(compare(both).unlike.empty());
    both[0].scenario["tech.energy.name"] = both[1].scenario["tech.energy.name"] = "mine";
    for (RunResults& run : both) {
        run.scenario["system.blocks.rsa.type"] = "rsa";
        run.scenario["tech.energy.prices.rsa.static.unpriced"] = "no figure";
        run.scenario["tech.energy.prices.flash.unpriced"] = "not in this system";
        run.texts["model.format"] = "INT8";
    }
    CHECK(compare(both).unlike.empty());

    both[1].scenario["tech.energy.prices.rsa.mac.energy"] = "2 pJ";
    REQUIRE(compare(both).unlike.size() == 1);
    CHECK_THAT(compare(both).unlike[0],
               Catch::Contains("the same name, mine, but different prices"));

    both[1].scenario["tech.energy.name"] = "other";
    both[1].scenario["tech.energy.lists.rsa.name"] = "third";
    both[1].scenario["tech.energy.lists.rsa.prices.core.unpriced"] = "of another type";
    both[1].texts["model.format"] = "INT4 in groups of 128";
    both[1].scenario["kv_cache.bits"] = "8";
    both[1].texts["area.on_chip_unknown"] = "sfu, core";
    const std::vector<std::string> unlike = compare(both).unlike;
    REQUIRE(unlike.size() == 4);
    CHECK_THAT(unlike[0],
               Catch::StartsWith("price lists differ (A: mine; B: other, third for rsa)"));
    CHECK_THAT(unlike[1], Catch::Contains("(A: rsa.static; B: none)"));
    CHECK_THAT(unlike[2], Catch::Contains("(A: nothing; B: sfu, core)"));
    CHECK_THAT(unlike[3], Catch::Contains("A: INT8, keys and values of 16 bits; B: INT4 in groups "
                                          "of 128, keys and values of 8 bits"));
    const Comparison comparison = compare(both);
    CHECK_THAT(comparison_text(comparison),
               Catch::Contains("  not directly comparable: price lists"));
    CHECK(comparison_data(comparison)["unlike"].size() == 4);
    CHECK_THAT(comparison_csv(comparison), Catch::Contains("unlike,\"price lists differ"));
}
