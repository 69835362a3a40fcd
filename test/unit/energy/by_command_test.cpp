// SPDX-License-Identifier: Apache-2.0
// Tests price lists that charge a DRAM by its commands, memories by their size and ports, and
// blocks by their area. The lists name the machine that they are for.
#include "test/unit/energy/lists.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee::test;
using Catch::Matchers::Contains;
namespace config = levee::config;

Consumer array(unsigned rows, unsigned columns)
{
    return {"rsa",
            "rsa",
            true,
            0,
            true,
            1,
            {{"rows", std::to_string(rows)}, {"columns", std::to_string(columns)}}};
}

Consumer memory(const char* type, std::uint64_t bytes, std::uint64_t ports = 1)
{
    return {type,
            type,
            true,
            bytes,
            true,
            ports,
            {{"size", config::format_quantity(bytes, config::Dimension::Size)},
             {"ports", std::to_string(ports)}}};
}

/// A DRAM whose datasheet gives 1500 zJ for each command. The memory consists of 4 units of the
/// datasheet.
Consumer dram_with_datasheet()
{
    Consumer dram{"dram", "dram", false, mebi};
    dram.price_commands = [](const levee::config::Node&, const std::string&) {
        std::vector<levee::EventPrice> prices;
        for (const levee::EnergyEvent& event : levee::dram::events)
            if (event.by_command)
                prices.push_back({&event, 1500, 4});
        return prices;
    };
    return dram;
}

const char* const by_command = R"(
name: commands
prices:
  dram:
    source: x
    activate: {energy: 1 nJ}
    precharge: {energy: 500 pJ}
    read_burst: {energy: 2 nJ}
    write_burst: {energy: 3 nJ}
    refresh: {unpriced: x}
    active_standby: {power: 10 mW}
    idle_standby: {power: 4 mW}
    static: {unpriced: x}
)";

} // namespace

TEST_CASE("a list charges commands or bytes, and a bill has only the charged events")
{
    const std::vector<Consumer> system{{"dram", "dram", false, mebi}};
    Ledger ledger(system);
    const unsigned operation = ledger.operation("op");
    const auto count = [&](const char* event, std::uint64_t n) {
        ledger.count(ledger.account(0, event), operation, n);
    };
    count("read", 1000);
    count("activate", 3);
    count("precharge", 3);
    count("read_burst", 40);
    count("refresh", 2);
    count("active_standby", 5000);
    count("idle_standby", 2000);
    const PriceList commands = list_of(by_command);
    CHECK(commands.is_by_command("dram"));
    const Bill bill(ledger, ledger.counts(), commands);
    CHECK(decimal(bill.by_event().at("dram.activate")) == "3000000000");
    CHECK(decimal(bill.by_event().at("dram.read_burst")) == "80000000000");
    // This is 10 mW x 5 ns.
    CHECK(decimal(bill.by_event().at("dram.active_standby")) == "50000000");
    CHECK(decimal(bill.by_event().at("dram.idle_standby")) == "8000000");
    CHECK(decimal(bill.total()) == "84558000000");
    CHECK(!bill.by_event().contains("dram.read"));

    const PriceList bytes =
        list_of("name: bytes\nprices: {dram: {source: x, access: {energy: 1 pJ, per: byte}}}\n");
    CHECK(!bytes.is_by_command("dram"));
    const Bill by_bytes(ledger, ledger.counts(), bytes);
    CHECK(decimal(by_bytes.total()) == "1000000000");
    CHECK(by_bytes.by_event().size() == 1);
}

TEST_CASE("a datasheet prices all commands exactly, and standby replaces static power")
{
    const PriceList list = list_of("name: sheet\nprices: {dram: {currents: {X: 1}}}\n");
    const Consumer dram = dram_with_datasheet();
    CHECK(list.is_by_command("dram"));
    // The price is 8000 x 1.5 aJ / 4.
    CHECK(decimal(list.rate(dram, "activate").of(8000)) == "3000");
    CHECK(decimal(list.rate(dram, "idle_standby").of(8)) == "3");
    CHECK(list.rate(dram, "read").is_zero());
    CHECK(list.power(dram, std::vector{dram}).is_zero());
}

TEST_CASE("prices of both bytes and commands are refused, and the error names them")
{
    const auto with = [](const std::string& dram) {
        return fault("name: bad\nprices:\n  dram: {source: x, " + dram + "}\n");
    };
    const std::string access = "access: {energy: 1 pJ, per: bit}";
    CHECK_THAT(with(access + ", activate: {energy: 1 nJ}"),
               Contains("list.yaml:3:") &&
                   Contains("'tech.energy.prices.dram' prices bytes ('write') and commands "
                            "('activate'), which count the same work; expected only one of them"));
    CHECK_THAT(with(access + ", currents: {X: 1}"),
               Contains("prices bytes ('write') and commands ('currents')"));
    CHECK_THAT(
        with("currents: {X: 1}, activate: {energy: 1 nJ}"),
        Contains("has both 'currents' and 'activate', but 'currents' already includes the other"));
    CHECK_THAT(with("currents: {X: 1}, static: {power: 1 W}"), Contains("and 'static'"));
    CHECK_THAT(with("active_standby: {energy: 1 nJ}"),
               Contains("unknown key 'tech.energy.prices.dram.active_standby.energy'"));
    CHECK_THAT(fault(by_command,
                     [](const PriceList& l) {
                         (void)l.rate({"dram", "dram"}, "reads");
                     }),
               Contains("has no price for 'reads'"));
    // A list may remove a price of the list that it extends, or restore one.
    CHECK(
        with("access: {energy: 1 pJ, per: bit, unpriced: by commands}, currents: {X: 1}").empty());
    CHECK(with("access: {energy: 1 pJ, per: bit, unpriced: none}").empty());
}

TEST_CASE("memory prices scale with size and ports by their rule")
{
    const PriceList list = list_of(R"(
name: scaled
prices:
  sram:
    source: x
    access: {energy: 10 pJ, per: 16 B, scale: {rule: sqrt, reference: 1 MiB, source: CACTI}}
    static: {power: 1 mW, per: 1 MiB, scale: {rule: linear}}
    area: {area: 2 mm2, scale: {rule: linear, reference: 1 MiB, ports: 1}}
)");
    const auto energy = [&](std::uint64_t bytes, std::uint64_t ports) {
        return decimal(list.rate(memory("sram", bytes, ports), "read").of(16));
    };
    CHECK(energy(mebi, 1) == "10000000");
    CHECK(energy(4 * mebi, 1) == "20000000");
    CHECK(energy(mebi / 16, 1) == "2500000");
    // The factor is the square root, rounded to a millionth.
    CHECK(energy(2 * mebi, 1) == "14142130");
    CHECK(energy(4 * mebi, 2) == "40000000");
    const auto power = [&](const Consumer& sram) {
        return decimal(list.power(sram, std::vector{sram}).of(1'000'000));
    };
    CHECK(power(memory("sram", 4 * mebi)) == "4000000000"); // This is 4 mW for 1 us.
    CHECK(power(memory("sram", 4 * mebi, 2)) == "8000000000");
    const auto um2 = [&](const Consumer& sram) {
        return decimal(list.area(sram, std::vector{sram})->of(1));
    };
    CHECK(um2(memory("sram", 4 * mebi)) == "8000000");
    CHECK(um2(memory("sram", 4 * mebi, 2)) == "32000000");
    // Horowitz (ISSCC 2014) gives 10, 20 and 100 pJ for 8 KB, 32 KB and 1 MB.
    const PriceList horowitz = list_of("name: h\nprices: {sram: {access: {energy: 10 pJ, per: 8 B, "
                                       "source: x, scale: {rule: sqrt, reference: 8 KiB}}}}\n");
    CHECK(decimal(horowitz.rate(memory("sram", 32 << 10), "read").of(8)) == "20000000");
    const double mega =
        static_cast<double>(horowitz.rate(memory("sram", mebi), "read").of(8)) / 1e6;
    CHECK(mega == Approx(100).epsilon(0.15));
}

TEST_CASE("an invalid scale is refused at its place")
{
    const auto with = [](const std::string& sram) {
        return fault("name: bad\nprices:\n  sram: {source: x, " + sram + "}\n");
    };
    CHECK_THAT(with("access: {energy: 1 pJ, per: byte, scale: {rule: cubic, reference: 1 MiB}}"),
               Contains("'tech.energy.prices.sram.access.scale.rule' is 'cubic'"));
    CHECK_THAT(with("access: {energy: 1 pJ, per: byte, scale: {rule: linear, reference: 1 MiB}}"),
               Contains("is 'linear'"));
    CHECK_THAT(with("access: {energy: 1 pJ, per: byte, scale: {rule: sqrt}}"),
               Contains("lacks the key 'reference'"));
    CHECK_THAT(with("static: {power: 1 W, per: 1 MiB, scale: {rule: linear, reference: 1 MiB}}"),
               Contains("and so is 'per'"));
    CHECK_THAT(fault("name: b\nprices: {rsa: {mac: {energy: 1 pJ, source: x, scale: {rule: sqrt, "
                     "reference: 1 MiB}}}}\n"),
               Contains("unknown key"));
}

TEST_CASE("powers and areas scale with a block's size, and powers also with its area")
{
    const PriceList list = list_of(R"(
name: areas
prices:
  rsa:
    source: x
    area: {area: 2 mm2, per: {rows: 32, columns: 32}}
    static: {power: 50 mW, per: 1 mm2}
    mac: {unpriced: x}
)");
    const Consumer rsa = array(32, 32), larger = array(64, 64), oblong = array(16, 128);
    CHECK(decimal(list.area(oblong, std::vector{oblong})->of(1)) == "4000000");
    CHECK(decimal(list.area(rsa, std::vector{rsa})->of(1)) == "2000000");
    CHECK(decimal(list.area(larger, std::vector{larger})->of(1)) == "8000000");
    CHECK(decimal(list.power(larger, std::vector{larger}).of(1'000'000)) ==
          "400000000000"); // This is 400 mW for 1 us.
    CHECK_THAT(fault("name: b\nprices: {rsa: {static: {power: 50 mW, per: 1 mm2, source: x}}}\n",
                     [&](const PriceList& l) { (void)l.power(rsa, std::vector{rsa}); }),
               Contains("is by area, but the list has no area of 'rsa'"));
    const auto per = [&](const std::string& what) {
        return fault("name: b\nprices: {rsa: {area: {area: 1 mm2, source: x, per: " + what +
                         "}}}\n",
                     [&](const PriceList& l) { (void)l.area(rsa, std::vector{rsa}); });
    };
    CHECK(per("{rows: 32}").empty());
    CHECK_THAT(per("{row: 32}"), Contains("list.yaml:2:") &&
                                     Contains("'tech.energy.prices.rsa.area.per.row': the type "
                                              "'rsa' has no parameter of this name") &&
                                     Contains("did you mean 'rows'?"));
    CHECK_THAT(per("{rows: 4 MiB}"), Contains("expected a number with the same unit"));
    CHECK_THAT(per("{rows: 0}"), Contains("'tech.energy.prices.rsa.area.per.rows' is '0'; expected "
                                          "a number above 0"));
    CHECK_THAT(per("4 MiB"), Contains("expected parameters such as '{rows: 32}'"));
}

TEST_CASE("a list warns of a machine for which it is not made")
{
    using Texts = std::vector<std::string>;
    const PriceList list = list_of(R"(
name: mine
for:
  rsa: [{rows: 32, columns: 32, number: 1}, {rows: 24, columns: 24}]
  edram: {size: [4 MiB, 256 KiB], ports: 1}
prices: {}
)");
    const auto outside = [&](const std::vector<Consumer>& all) {
        return list.scope().outside(all);
    };
    const Consumer kv = memory("edram", 4 * mebi), act = memory("edram", mebi / 4);
    const Consumer rsa = array(32, 32), small = array(24, 24);
    CHECK(outside({rsa, act, kv, memory("sram", 2 * mebi)}).empty()); // The list is for any SRAM.
    CHECK(outside({small, small}).empty());
    Consumer queue = rsa; // This is an array's second queue.
    queue.has_units = false;
    CHECK(outside({rsa, queue}).empty());
    CHECK(outside({array(64, 64)}) == Texts{"rsa.rows is 64, not 32", "rsa.columns is 64, not 32"});
    CHECK(outside({array(24, 32)}).size() == 1); // The array matches neither of the two.
    const std::string surplus =
        "rsa is one component too many (the prices are for at most 1 like it)";
    CHECK(outside({rsa, rsa}) == Texts{surplus});
    CHECK(outside({rsa, rsa, rsa}) == Texts{surplus, surplus});
    CHECK(outside({memory("edram", 8 * mebi), act}) ==
          Texts{"edram.size is 8 MiB, not 4 MiB or 256 KiB"});
    CHECK(outside({memory("edram", 4 * mebi, 2)}) == Texts{"edram.ports is 2, not 1"});
    CHECK(list_of("name: any\nprices: {}\n").scope().outside(std::vector{rsa}).empty());
}

TEST_CASE("an invalid scope is refused at its place")
{
    const auto with = [](const std::string& scope) {
        return fault("name: b\nfor: " + scope + "\nprices: {}\n", [](const PriceList& l) {
            (void)l.scope().outside(std::vector{array(32, 32)});
        });
    };
    CHECK_THAT(with("{rsb: {rows: 32}}"),
               Contains("list.yaml:2:") && Contains("did you mean 'rsa'?"));
    CHECK_THAT(with("{rsa: 32}"),
               Contains("'tech.energy.for.rsa' is") && Contains("expected a map"));
    CHECK_THAT(with("[rsa]"), Contains("'tech.energy.for' is"));
    CHECK_THAT(with("{rsa: [{row: 32}]}"),
               Contains("'tech.energy.for.rsa.0.row': the type 'rsa' has no parameter of this "
                        "name") &&
                   Contains("did you mean 'rows'?"));
    // The machine has no such components.
    CHECK_THAT(with("{nonsense: {rows: 32}}"),
               Contains("list.yaml:2:7: 'tech.energy.for.nonsense': there is no type") &&
                   Contains("expected one of: core, bus, commands, sram, edram, dram, rsa"));
    CHECK_THAT(
        with("{sram: {nonsense: 32}}"),
        Contains("list.yaml:2:14: 'tech.energy.for.sram.nonsense': the type 'sram' has no") &&
            Contains("expected one of: number, size, "));
    CHECK(with("{dram: {standard: LPDDR4, peak: 64 GB/s}, core: {dcache: 4 KiB}}").empty());
    CHECK_THAT(with("{rsa: {number: 0}}"), Contains("'tech.energy.for.rsa.number'"));
    CHECK_THAT(with("{rsa: {rows: {a: 1}}}"), Contains("'tech.energy.for.rsa.rows'"));
}
