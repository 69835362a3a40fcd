// SPDX-License-Identifier: Apache-2.0
// Recomputes the energy of whole runs from their other figures.
#include "test/system/program.hpp"

#include <cmath>
#include <sstream>

namespace {

using namespace levee::test;
using Catch::Matchers::Contains;
using nlohmann::json;

const char* const scenario = R"(extends: kelle/demo.yaml
workload: {max_new_tokens: 12}
system: {blocks: {rsa: {passes: 1}}}
tech: {energy: mine.yaml, also: [tech/energy/kelle_stated_power.yaml]}
)";

/// A price for every event; all prices differ.
const char* const list = R"(name: mine
prices:
  sram: {read: {energy: 2 pJ, per: byte, source: x}, write: {energy: 3 pJ, per: byte, source: x}, static: {power: 5 mW, per: 1 MiB, source: x}}
  tcm: {access: {energy: 7 pJ, per: byte, source: x}, static: {unpriced: x}}
  edram: {read: {energy: 11 pJ, per: 16 B, source: x}, write: {energy: 13 pJ, per: 16 B, source: x}, refresh: {energy: 17 pJ, per: 16 B, source: x}, static: {power: 19 mW, source: x}}
  dram: {access: {energy: 23 pJ, per: bit, source: x}, static: {power: 29 mW, source: x}}
  rsa: {mac: {energy: 31 fJ, source: x}, static: {power: 37 mW, source: x}}
  core: {instruction: {energy: 41 pJ, source: x}, static: {unpriced: x}}
  commands: {descriptor: {energy: 43 pJ, source: x}, static: {unpriced: x}}
  systolic_evictor: {score: {energy: 47 fJ, source: x}, unpriced: x}
  sfu: {unpriced: x}
  dma: {unpriced: x}
  sync: {unpriced: x}
  bus: {unpriced: x}
)";

json metrics_of(const Workplace& place, const std::vector<std::string>& more = {})
{
    std::vector<std::string> arguments{"run", "small.yaml", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(place.levee(arguments).code == 0);
    return place.results("out")["metrics"];
}

double number(const json& metrics, const std::string& name)
{
    INFO(name);
    REQUIRE(metrics.contains(name));
    return metrics[name].get<double>();
}

__extension__ using Wide = unsigned __int128;

Wide wide(const std::string& digits)
{
    Wide value = 0;
    for (const char c : digits)
        value = value * 10 + static_cast<Wide>(c - '0');
    return value;
}

/// Returns the attojoules of the ledger's lines for which `takes(component, event, operation,
/// phase)` is true.
template <typename Takes> Wide ledger_sum(const std::string& csv, Takes takes)
{
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    Wide sum = 0;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        std::vector<std::string> cell(6);
        for (std::string& text : cell)
            std::getline(cells, text, ',');
        if (takes(cell))
            sum += wide(cell[5]);
    }
    return sum;
}

} // namespace

namespace {

/// Holds the figures of a run and checks its energies.
struct Accounts {
    const json& metrics;

    double of(const std::string& name) const { return number(metrics, name); }
    void check(const std::string& figure, double expected) const
    {
        INFO(figure);
        CHECK(expected > 0);
        CHECK(of("energy." + figure) == Approx(expected).epsilon(1e-9));
    }
    void check_events() const
    {
        check("sram.read_j", of("sram.read_bytes") * 2e-12);
        check("sram.write_j", of("sram.write_bytes") * 3e-12);
        check("kv_edram.read_j", of("kv_edram.read_bytes") * 11e-12 / 16);
        check("kv_edram.write_j", of("kv_edram.write_bytes") * 13e-12 / 16);
        check("act_edram.read_j", of("act_edram.read_bytes") * 11e-12 / 16);
        check("core.instruction_j", of("core.instructions") * 41e-12);
        check("rsa.mac_j", of("rsa.macs") * 31e-15);
        check("rsa_kv.mac_j", of("rsa_kv.macs") * 31e-15);
        check("evictor.score_j", of("evictor.scores") * 47e-15);
        for (const std::string memory : {"kv_edram", "act_edram"}) {
            double rows = 0;
            for (const std::string group : {"high_msb", "high_lsb", "low_msb", "low_lsb"})
                rows += of(memory + ".refresh." + group);
            check(memory + ".refresh_j", rows * (memory == "kv_edram" ? 128 : 16) / 16 * 17e-12);
        }
        double operations = 0;
        for (const std::string block : {"rsa", "rsa_kv", "sfu", "evictor", "dma"})
            operations += of(block + ".operations");
        check("commands.descriptor_j", operations * 43e-12);
    }
    void check_static() const
    {
        const double duration = of("sim.seconds");
        check("sram.static_j", duration * 10e-3); // The SRAM uses 10 mW for 2 MiB.
        check("kv_edram.static_j", duration * 19e-3);
        check("dram.static_j", duration * 29e-3);
        check("rsa.static_j", duration * 37e-3);
        CHECK(of("energy.rsa_kv.static_j") == 0.0); // The array is priced only once, and not for
                                                    // its second queue.
    }
    void check_totals() const
    {
        const double total = of("energy.total_j");
        check("phase.decode.rsa_j", of("energy.rsa_j") - of("energy.phase.prefill.rsa_j") -
                                        of("energy.phase.other.rsa_j"));
        check("average_power_w", total / of("sim.seconds"));
        check("tokens_per_joule", of("generate.tokens") / total);
        check("per_token_j", total / of("generate.tokens"));
        check("decode_per_token_j", of("energy.phase.decode_j") / of("decode.tokens"));
        double operations = 0;
        for (const auto& [name, value] : metrics.items())
            operations += name.starts_with("energy.operation.") ? value.get<double>() : 0.0;
        CHECK(operations == Approx(total).epsilon(1e-12));
        CHECK(of("energy.phase.prefill_j") + of("energy.phase.decode_j") +
                  of("energy.phase.other_j") ==
              Approx(total).epsilon(1e-12));
        CHECK(of("energy.on_chip_j") + of("energy.off_chip_j") == Approx(total).epsilon(1e-12));
    }
    /// Checks the second list, which has stated powers and adds refresh.
    void check_stated_power() const
    {
        const std::string stated = "energy_kelle_stated_power.";
        CHECK(of(stated + "phase.decode.dram_j") ==
              Approx(11.74 * of("decode.seconds")).epsilon(1e-9));
        CHECK(of(stated + "on_chip_j") ==
              Approx(6.52 * of("sim.seconds") + of(stated + "kv_edram.refresh_j") +
                     of(stated + "act_edram.refresh_j"))
                  .epsilon(1e-9));
        CHECK(of(stated + "kv_edram.refresh_j") ==
              Approx(of("energy.kv_edram.refresh_j") / 17e-12 * 16 * 1.14e-3 / (4 << 20))
                  .epsilon(1e-9));
        CHECK(of("area_kelle_stated_power.on_chip_mm2") == Approx(9.5));
        CHECK(of("area_kelle_stated_power.evictor_mm2") == Approx(0.06));
        CHECK(of("area_kelle_stated_power.dram_mm2") == Approx(16));
        CHECK(of("area_kelle_stated_power.off_chip_mm2") == Approx(16));
        CHECK(metrics.count("area_kelle_stated_power.chip_other_mm2") ==
              0); // This machine has all listed components, so the other part is 0.
    }
};

} // namespace

TEST_CASE("a price replaces an inherited reason for a missing price, and a reason a price")
{
    const Workplace place;
    place.write("small.yaml", scenario);
    place.write("base.yaml", list);
    place.write("mine.yaml", "extends: base.yaml\nname: more\nprices:\n"
                             "  core: {static: {power: 1 mW, source: y}}\n"
                             "  rsa: {static: {unpriced: y}}\n");
    const json metrics = metrics_of(place);
    CHECK(number(metrics, "energy.core.static_j") == Approx(1e-3 * number(metrics, "sim.seconds")));
    CHECK(number(metrics, "energy.rsa.static_j") == 0);
    const json given = metrics_of(place, {"--set", "tech.energy.prices.tcm.static.power=2 mW",
                                          "--set", "tech.energy.prices.tcm.static.source=z"});
    CHECK(number(given, "energy.tcm.static_j") == Approx(2e-3 * number(given, "sim.seconds")));
}

TEST_CASE("a run's energy is its own bytes, products, refreshes, instructions and seconds at the "
          "list's prices")
{
    const Workplace place;
    place.write("small.yaml", scenario);
    place.write("mine.yaml", list);
    const json metrics = metrics_of(place);
    const Accounts accounts{metrics};
    accounts.check_events();
    accounts.check_static();
    accounts.check_totals();
    accounts.check_stated_power();
}

TEST_CASE("stated chip power and area without a component type are booked as the chip's other part")
{
    const Workplace place;
    place.write("small.yaml", "extends: demo.yaml\nworkload: {max_new_tokens: 4}\n"
                              "tech: {energy: tech/energy/kelle_stated_power.yaml}\n");
    const json metrics = metrics_of(place);
    const auto of = [&](const std::string& name) { return number(metrics, name); };
    // The eDRAM has 0.33 of 9.5 mm2 and of 6.52 W.
    CHECK(of("area.chip_other_mm2") == Approx(0.33 * 9.5));
    CHECK(of("area.on_chip_mm2") == Approx(9.5));
    CHECK(of("area.rsa_mm2") == Approx(0.23 * 9.5));
    CHECK(of("area.off_chip_mm2") == Approx(16));
    CHECK(of("energy.chip_other_j") == Approx(0.29 * 6.52 * of("sim.seconds")).epsilon(1e-9));
}

TEST_CASE("the rows of the ledger's file add up to the run's figures, to the attojoule")
{
    const Workplace place;
    place.write("small.yaml", scenario);
    place.write("mine.yaml", list);
    const json metrics = metrics_of(place);
    const std::string csv = place.read("out/energy.csv");
    using Line = std::vector<std::string>;
    const auto joules = [](Wide attojoules) { return static_cast<double>(attojoules) / 1e18; };
    const auto all = [](const Line&) { return true; };
    CHECK(joules(ledger_sum(csv, all)) == number(metrics, "energy.total_j"));
    CHECK(joules(ledger_sum(csv, [](const Line& line) { return line[0] == "dram"; })) ==
          number(metrics, "energy.off_chip_j"));
    CHECK(joules(ledger_sum(csv, [](const Line& line) { return line[2] == "rsa.gemm"; })) ==
          number(metrics, "energy.operation.rsa.gemm_j"));
    CHECK(joules(ledger_sum(csv, [](const Line& line) { return line[3] == "decode"; })) ==
          number(metrics, "energy.phase.decode_j"));
    CHECK(!place.read("out/energy_kelle_stated_power.csv").empty());
}

TEST_CASE("energy is counted only if a scenario asks for it, and changes nothing else")
{
    const Workplace place;
    place.write("plain.yaml", "extends: demo.yaml\nworkload: {max_new_tokens: 4}\n");
    REQUIRE(place.levee({"run", "plain.yaml", "--out", "plain"}).code == 0);
    const json plain = place.results("plain");
    for (const auto& [name, value] : plain["metrics"].items())
        CHECK_FALSE(name.starts_with("energy"));
    CHECK_FALSE(std::filesystem::exists(place.path("plain/energy.csv")));

    REQUIRE(place
                .levee({"run", "plain.yaml", "--out", "charged", "--set",
                        "tech.energy=tech/energy/kelle_events.yaml"})
                .code == 0);
    const json charged = reproducible(place.results("charged"))["metrics"];
    const json comparable = reproducible(plain);
    for (const auto& [name, value] : comparable["metrics"].items()) {
        INFO(name);
        CHECK(charged[name] == value);
    }
}

TEST_CASE("an event without a price ends the run, with the list, the block and the event")
{
    const Workplace place;
    place.write("small.yaml", scenario);
    std::string without = list;
    without.replace(without.find("mac: {energy: 31 fJ, source: x}, "), 33, "");
    place.write("mine.yaml", without);
    const Outcome outcome = place.levee({"run", "small.yaml", "--out", "out"});
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Contains("mine.yaml:7:8: 'tech.energy.prices.rsa' has no price for "
                                      "'mac', which 'rsa"));

    without.replace(without.find("  sync: {unpriced: x}\n"), 22, "");
    place.write("mine.yaml", without);
    const Outcome early = place.levee({"run", "small.yaml", "--out", "out"});
    CHECK(early.code == 2);
    CHECK_THAT(early.text, Contains("no entry for the type 'sync', but 'sync' has 'static'"));
}

namespace {

/// A run of few tokens whose DRAM is charged by its commands.
const char* const by_currents = R"(extends: demo.yaml
workload: {max_new_tokens: 4}
tech: {energy: tech/energy/dram_currents.yaml, also: [tech/energy/kelle_events.yaml]}
)";

} // namespace

TEST_CASE("a DRAM is charged by its commands: whole bursts, refreshes and time")
{
    const Workplace place;
    place.write("small.yaml", by_currents);
    const json metrics = metrics_of(place, {"--record-decisions", "recorded"});
    const auto of = [&](const std::string& name) { return number(metrics, name); };
    // A burst of 32 bytes of LPDDR4 takes (245 + 149.25) mA x 1.1 V x 2.5 ns. The other sums are
    // those of test/unit/dram/energy_test.cpp.
    const double bursts = of("energy.dram.read_burst_j") / 1084.1875e-12;
    CHECK(bursts == Approx(std::round(bursts)).epsilon(1e-9));
    CHECK(bursts * 32 >= of("dram.read_bytes"));
    CHECK(bursts * 32 < 1.2 * of("dram.read_bytes"));
    const double refresh = (7.75 * 1.8 + 60 * 1.1) * 279 / 16 * 1e-12;
    CHECK(of("energy.dram.refresh_j") == Approx(of("dram.refreshes") * refresh).epsilon(1e-9));
    const double active = of("energy.dram.active_standby_j") / (8e-3 * (2.25 * 1.8 + 30.75 * 1.1));
    const double idle = of("energy.dram.idle_standby_j") / (8e-3 * (2 * 1.8 + 27.75 * 1.1));
    CHECK(active > 0.0);
    // Both figures are read at the SystemC kernel's time, but the core may be a few nanoseconds
    // ahead.
    CHECK(active + idle == Approx(of("sim.seconds")).epsilon(1e-4));
    CHECK_FALSE(metrics.contains("energy.dram.read_j"));
    // The second list, which charges bytes, gives the same figures as it would without the first
    // list.
    CHECK(of("energy_kelle_events.dram.read_j") == Approx(of("dram.read_bytes") * 8 * 22.9e-12));
    CHECK_FALSE(metrics.contains("energy_kelle_events.dram.read_burst_j"));
    const std::string csv = place.read("out/energy.csv");
    CHECK(static_cast<double>(ledger_sum(csv, [](const auto&) { return true; })) / 1e18 ==
          of("energy.total_j"));

    const json timing_only =
        metrics_of(place, {"--set", "data=timing_only", "--set", "decisions.recorded=recorded"});
    for (const auto& [name, value] : metrics.items())
        if (name.starts_with("energy")) {
            INFO(name);
            CHECK(timing_only[name] == value);
        }
}

TEST_CASE("a price list for another machine causes a warning, a DRAM without currents an error")
{
    const Workplace place;
    place.write("small.yaml", "extends: demo.yaml\nworkload: {max_new_tokens: 2}\n"
                              "tech: {energy: mine.yaml}\n");
    place.write("mine.yaml", std::string("for: {rsa: {rows: 32, columns: 32}}\n") + list);
    const Outcome outcome = place.levee({"run", "small.yaml", "--out", "out"});
    CHECK(outcome.code == 0);
    const std::string warning =
        "the prices of 'mine' are for another machine: rsa.rows is 24, not 32, rsa.columns is 24, "
        "not 32";
    CHECK_THAT(outcome.text, Contains(warning));
    REQUIRE(place.results("out")["warnings"].size() == 1);
    CHECK_THAT(place.results("out")["warnings"][0].get<std::string>(), Contains(warning));
    const std::vector<std::string> matching{"run",   "small.yaml",
                                            "--out", "same",
                                            "--set", "system.blocks.rsa.rows=32",
                                            "--set", "system.blocks.rsa.columns=32"};
    REQUIRE(place.levee(matching).code == 0);
    CHECK(place.results("same")["warnings"].empty());

    place.write("small.yaml", by_currents);
    const Outcome none = place.levee({"run", "small.yaml", "--out", "out", "--set",
                                      "system.memories.dram.standard.standard=GDDR6-16000"});
    CHECK(none.code == 2);
    CHECK_THAT(none.text, Contains("dram_currents.yaml:") && Contains("has no currents of GDDR6"));
}

TEST_CASE("single keys turn a DRAM preset into another DRAM")
{
    const Workplace place;
    const auto describe = [&](const std::vector<std::string>& set) {
        std::vector<std::string> arguments{"describe", "demo.yaml"};
        for (const std::string& one : set)
            arguments.insert(arguments.end(), {"--set", one});
        return place.levee(arguments);
    };
    const std::string standard = "system.memories.dram.standard";
    const Outcome wide = describe({standard + "=tech/dram/lpddr5.yaml", standard + ".width=128",
                                   standard + ".data_rate=5500 MT/s"});
    CHECK(wide.code == 0);
    CHECK_THAT(wide.text, Contains("LPDDR5-5500") && Contains("88 GB/s") && Contains("16 GiB"));
    const Outcome odd =
        describe({standard + "=tech/dram/lpddr5.yaml", standard + ".timing.clock=1600 ps"});
    CHECK(odd.code == 2);
    CHECK_THAT(odd.text, Contains("give 10.24 beats per clock"));
}

TEST_CASE("prices with a low and a high value give intervals of totals in results, text and tables")
{
    const Workplace place;
    place.write("small.yaml", scenario);
    std::string open = list;
    const std::string mac = "mac: {energy: 31 fJ, source: x}";
    open.replace(open.find(mac), mac.size(),
                 "mac: {energy: 31 fJ, low: 21 fJ, high: 51 fJ, source: x}");
    place.write("mine.yaml", list);
    const json closed = metrics_of(place);
    CHECK_FALSE(closed.contains("energy.total_j.low"));
    place.write("mine.yaml", open);
    const json metrics = metrics_of(place);
    const double mac_j = number(closed, "energy.rsa.mac_j");
    const double total = number(closed, "energy.total_j");
    CHECK(number(metrics, "energy.total_j") == total);
    CHECK(number(metrics, "energy.rsa.mac_j.low") == Approx(mac_j * 21 / 31));
    // `rsa_kv` is the array's second queue.
    const double all_macs = mac_j + number(closed, "energy.rsa_kv.mac_j");
    const double least = total - all_macs * 10 / 31, most = total + all_macs * 20 / 31;
    CHECK(number(metrics, "energy.total_j.low") == Approx(least).epsilon(1e-9));
    CHECK(number(metrics, "energy.total_j.high") == Approx(most).epsilon(1e-9));
    CHECK(number(metrics, "energy.tokens_per_joule.high") ==
          Approx(number(metrics, "energy.tokens_per_joule") * total / least));
    CHECK_FALSE(metrics.contains("energy.off_chip_j.low"));
    CHECK_FALSE(metrics.contains("energy_kelle_stated_power.total_j.low"));
    CHECK_THAT(place.levee({"run", "small.yaml", "--out", "again"}).text,
               Contains("with the lower and upper bounds of the prices: "));

    place.write("mine.yaml", list);
    REQUIRE(place.levee({"run", "small.yaml", "--quiet", "--out", "closed"}).code == 0);
    CHECK_THAT(place.levee({"compare", "out", "closed"}).text,
               Contains("energy.total_j.high") &&
                   Contains("the intervals of energy.total_j of out and closed overlap"));
}

TEST_CASE("points of a study whose energies overlap are not ranked")
{
    const Workplace place;
    place.write("study.yaml", "scenario: dram_standards.yaml\nname: spread\n"
                              "set: [model.shape.layers=1, workload.max_new_tokens=2]\n"
                              "points:\n"
                              "  plain: [tech.energy=tech/energy/dram_currents.yaml]\n"
                              "  open: [tech.energy=tech/energy/dram_currents_spread.yaml]\n"
                              "  other: [tech.energy=tech/energy/dram_currents.yaml, "
                              "system.memories.dram.standard.data_rate=3200 MT/s]\n"
                              "columns: {energy: {metric: energy.total_j}}\n"
                              "objectives: {minimize: energy}\n");
    REQUIRE(place.levee({"sweep", "study.yaml", "--quiet", "--out", "swept"}).code == 0);
    const json points = json::parse(place.read("swept/sweep.json"))["points"];
    CHECK(points[0]["pareto"]);
    CHECK(points[1]["pareto"]);
    const double energy = points[1]["metrics"]["energy"];
    CHECK(points[1]["intervals"]["energy"][0].get<double>() == Approx(0.932 * energy));
    CHECK(points[1]["intervals"]["energy"][1].get<double>() == Approx(1.068 * energy));
    CHECK_FALSE(points[2]["pareto"]);
    CHECK_THAT(place.read("swept/points.csv"), Contains("energy low,energy high"));
}

TEST_CASE(
    "a DRAM that refreshes itself in pauses uses less energy and fewer commands, and starts later")
{
    const Workplace place;
    const auto run = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> command{"run",
                                         "dram_standards",
                                         "--out",
                                         name,
                                         "--set",
                                         "model.shape.layers=1",
                                         "--set",
                                         "workload.max_new_tokens=2",
                                         "--set",
                                         "system.memories.dram.standard=tech/dram/"
                                         "lpddr4.yaml"};
        for (const std::string& text : more)
            command.insert(command.end(), {"--set", text});
        const auto outcome = place.levee(command);
        return std::pair{outcome, outcome.code == 0 ? place.results(name)["metrics"] : json{}};
    };
    const json plain = run("plain", {}).second;
    const json pauses =
        run("pauses", {"system.memories.dram.self_refresh={after: 1 us, exit: 400 ns}"}).second;
    CHECK_FALSE(plain.contains("dram.self_refresh_seconds"));
    CHECK_FALSE(plain.contains("energy.dram.self_refresh_j"));
    const double slept = number(pauses, "dram.self_refresh_seconds");
    const double whole = number(pauses, "sim.seconds");
    REQUIRE(slept > 0);
    CHECK(whole > number(plain, "sim.seconds"));
    CHECK(number(pauses, "energy.dram.self_refresh_j") ==
          Approx(slept * 8e-3 * (0.3 * 1.8 + 0.6 * 1.1)));
    // Standby is charged for all other time, including refreshes.
    CHECK(number(pauses, "energy.dram.idle_standby_j") / 0.273 +
              number(pauses, "energy.dram.active_standby_j") / 0.303 ==
          Approx(whole - slept).epsilon(1e-6));
    CHECK(number(pauses, "dram.refreshes") ==
          Approx((whole - slept) / 3903.75e-9 * 8 * 8 * 2).epsilon(0.02));
    CHECK(number(pauses, "energy.dram_j") < number(plain, "energy.dram_j"));
    // A list that charges a DRAM's bytes must have a price for them, or a reason not to.
    place.write("small.yaml", scenario);
    place.write("mine.yaml", list);
    const auto refused = place.levee(
        {"run", "small.yaml", "--set", "system.memories.dram.self_refresh={after: 1 us}"});
    CHECK(refused.code != 0);
    CHECK_THAT(refused.text, Contains("has no price for 'self_refresh', which 'dram' has"));
}
