// SPDX-License-Identifier: Apache-2.0
// Tests the meaning of price lists, and the errors of unusable ones.
#include "test/unit/energy/lists.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee::test;
using Catch::Matchers::Contains;

const Consumer sram{"sram", "sram", true, 2 * mebi};
const Consumer kv{"kv_edram", "edram", true, 4 * mebi};
const Consumer act{"act_edram", "edram", true, mebi / 4};
const Consumer rsa{"rsa", "rsa"};
const Consumer evictor{"evictor", "evictor"};

double watts(const Rate& per_ps)
{
    return joules(per_ps.of(1'000'000'000'000));
}
double mm2(const Area& area)
{
    return static_cast<double>(area.numerator) / static_cast<double>(area.denominator) / 1e6;
}

const char* const chip = R"(
name: chip
chip_power: {power: 10 W, percent: {rsa: 20, edram: 30, sram: 40}, source: a paper}
chip_area: {area: 8 mm2, percent: {rsa: 25, edram: 75}, source: a paper}
prices:
  evictor: {static: {power: 500 mW, within: rsa, source: a paper}, unpriced: in the chip's}
)";

} // namespace

TEST_CASE("a price is per event, bit, byte or number of bytes")
{
    const PriceList list = list_of(R"(
name: units
prices:
  sram: {source: x, read: {energy: 1 pJ, per: bit}, write: {energy: 1 pJ, per: byte}}
  edram: {source: x, access: {energy: 1 pJ, per: 16 B}, refresh: {energy: 16 pJ, per: 16 B}}
  rsa: {source: x, mac: {energy: 0.23 pJ}}
  bus: {transfer: {energy: 1 nJ, per: 1 KiB, source: x}}
)");
    const Consumer bus{"bus", "bus"};
    CHECK(decimal(list.rate(sram, "read").of(2)) == "16000000");
    CHECK(decimal(list.rate(sram, "write").of(2)) == "2000000");
    CHECK(decimal(list.rate(kv, "read").of(32)) == "2000000");
    CHECK(decimal(list.rate(kv, "write").of(32)) == "2000000");
    CHECK(decimal(list.rate(kv, "refresh").of(16)) == "16000000");
    CHECK(decimal(list.rate(rsa, "mac").of(100)) == "23000000");
    CHECK(decimal(list.rate(bus, "transfer").of(1024)) == "1000000000");
}

TEST_CASE("a file of another kind is not a price list")
{
    const std::string expected = "expected a price list with 'name' and 'prices'";
    CHECK_THROWS_WITH(list_of("name: kelle\ncore: {clock: 1 GHz}\n"),
                      Contains("has no 'prices' here; " + expected));
    CHECK_THROWS_WITH(list_of("extends_nothing: 1\n"), Contains(expected));
    CHECK_THROWS_WITH(list_of("name: x\nprcies: {}\n"),
                      Contains("list.yaml:2:1: unknown key 'tech.energy.prcies'; did you mean "
                               "'prices'?"));
    CHECK_THROWS_WITH(list_of("kelle"), Contains("is 'kelle'; " + expected));
    CHECK_THROWS_WITH(list_of("[]"), Contains("is a list; " + expected));
}

TEST_CASE("prices without a source, or two for one event, are refused")
{
    const auto refused = [](const std::string& prices, const std::string& why) {
        INFO(prices);
        CHECK_THROWS_WITH(list_of("name: bad\nprices:\n  " + prices + "\n"), Catch::Contains(why));
    };
    refused("rsa: {mac: {energy: 1 pJ, source: ''}}", "is empty; expected the price's origin");
    refused("rsa: {source: '', mac: {energy: 1 pJ}}", "is empty; expected the price's origin");
    refused("rsa: {source: x, mac: {unpriced: ''}}", "is empty; expected the reason");
    const std::string read = "read: {energy: 1 pJ, per: byte}";
    const std::string access = "access: {energy: 1 pJ, per: byte}";
    refused("sram: {source: x, " + read + ", " + access + "}", "already covers read and write");
    refused("sram: {source: x, " + access + ", " + read + "}", "already covers read and write");
    CHECK_THROWS_WITH(list_of("name: ''\nprices: {rsa: {source: x, mac: {energy: 1 pJ}}}\n"),
                      Catch::Contains("'tech.energy.name' is ''"));
}

TEST_CASE("shares of a chip's power are divided by size, and the rest belongs to no component")
{
    const PriceList list = list_of(chip);
    const std::vector<Consumer> kelle{sram, kv, act, rsa, evictor};
    CHECK(watts(list.power(sram, kelle)) == Approx(4.0));
    CHECK(watts(list.power(kv, kelle)) == Approx(3.0 * 4 / 4.25));
    CHECK(watts(list.power(act, kelle)) == Approx(3.0 * 0.25 / 4.25));
    CHECK(watts(list.power(evictor, kelle)) == Approx(0.5));
    CHECK(watts(list.power(rsa, kelle)) == Approx(1.5)); // The evictor's power is subtracted.
    CHECK(watts(list.rest_of_power(kelle)) == Approx(1.0));
    CHECK(mm2(*list.area(kv, kelle)) == Approx(6.0 * 4 / 4.25));
    CHECK(!list.area(sram, kelle));

    const std::vector<Consumer> without{sram, rsa};
    CHECK(watts(list.power(rsa, without)) == Approx(2.0));
    CHECK(watts(list.rest_of_power(without)) == Approx(4.0));
    CHECK(mm2(list.rest_of_area(without)) == Approx(6.0));
}

TEST_CASE("a list of areas or powers is the sum of a component's parts")
{
    const PriceList list = list_of(R"(
name: parts
prices:
  rsa:
    source: x
    mac: {energy: 1 pJ}
    static: [{power: 10 mW, per: {rows: 2}}, {power: 3 mW}]
    area: [{area: 1 mm2, per: {rows: 4, columns: 4}}, {area: 2 mm2, per: {columns: 8}}, {area: 5 mm2}]
)");
    Consumer array = rsa;
    array.parameters = {{"rows", "8"}, {"columns", "4"}};
    const std::vector<Consumer> all{array};
    CHECK(watts(list.power(array, all)) == Approx(43e-3));
    CHECK(mm2(*list.area(array, all)) == Approx(8));
    CHECK_THROWS_WITH(list_of("name: a\nprices: {rsa: {area: [{area: 1 mm2}], unpriced: y}}"),
                      Contains("prices.rsa.area[0]"));
    CHECK_THROWS_WITH(
        list_of("name: a\nprices: {rsa: {static: [{power: 1 mW, source: x, unpriced: y}]}}"),
        Contains("unknown key 'tech.energy.prices.rsa.static[0].unpriced'"));
    CHECK_THROWS_WITH(
        list_of("name: a\nprices: {rsa: {static: []}}"),
        Contains("static' is empty; expected a map, or a list of maps for its parts"));
}

TEST_CASE("a missing price is an error unless the list states it with a reason")
{
    const std::string list = R"(
name: some
prices:
  rsa: {mac: {energy: 1 pJ, source: x}, scale: {unpriced: nobody knows}}
  edram: {unpriced: not looked at}
)";
    const PriceList prices = list_of(list);
    CHECK(prices.rate(rsa, "scale").is_zero());
    CHECK(prices.rate(kv, "read").is_zero());
    CHECK(prices.power(kv, std::vector{kv}).is_zero());
    CHECK_THAT(fault(list, [](const PriceList& l) { (void)l.rate(rsa, "macs"); }),
               Contains("list.yaml:4:") &&
                   Contains("'tech.energy.prices.rsa' has no price for "
                            "'macs', which 'rsa' has") &&
                   Contains("there is 'mac'"));
    CHECK_THAT(fault(list, [](const PriceList& l) { (void)l.rate(sram, "read"); }),
               Contains("no entry for the type 'sram', but 'sram' has 'read'"));
    CHECK_THAT(fault(list, [](const PriceList& l) { (void)l.power(rsa, std::vector{rsa}); }),
               Contains("'tech.energy.prices.rsa' has no price for 'static'"));
    CHECK_THAT(fault("name: a\nprices: {edram: {unpriced: none}}\n", // The list gives no reason.
                     [](const PriceList& l) { (void)l.rate(kv, "read"); }),
               Contains("'tech.energy.prices.edram' has no price for 'read'"));
}

TEST_CASE("an unusable list is refused at its place")
{
    const auto with = [](const std::string& prices) {
        return fault("name: bad\nprices:\n  " + prices + "\n");
    };
    CHECK_THAT(with("srm: {unpriced: x}"),
               Contains("list.yaml:3:3: 'tech.energy.prices.srm': there is no type of component of "
                        "this name; did you mean 'sram'?"));
    CHECK_THAT(with("sram: {reed: {energy: 1 pJ, per: bit, source: x}}"),
               Contains("the type 'sram' has no event of this name; did you mean 'read'?"));
    CHECK_THAT(with("sram: {reed: {unpriced: x}}"), Contains("did you mean 'read'?"));
    CHECK_THAT(
        with("sram: {read: {energy: 1 mW, per: bit, source: x}}"),
        Contains("'tech.energy.prices.sram.read.energy' is '1 mW', which has the unit 'mW'"));
    CHECK_THAT(with("sram: {static: {power: 1 pJ, source: x}}"),
               Contains("which has the unit 'pJ'"));
    CHECK_THAT(with("sram: {read: {energy: 1 pJ, per: bit}}"),
               Contains("'tech.energy.prices.sram.read' has no source"));
    CHECK_THAT(with("sram: {read: {energy: 1 pJ, source: x}}"), Contains("lacks the key 'per'"));
    CHECK_THAT(with("sram: {read: {energy: 1 pJ, per: row, source: x}}"),
               Contains("is 'row'; expected bit, byte or a size such as '16 B'"));
    CHECK_THAT(with("rsa: {mac: {energy: 1 pJ, per: bit, source: x}}"), Contains("unknown key"));
    CHECK_THAT(with("rsa: {unpriced: ''}"), Contains("is empty; expected the reason"));
    CHECK_THAT(fault("name: Bad\nprices: {}\n"), Contains("expected lower-case letters"));
    CHECK_THAT(fault("name: 7\nprices: {}\n"),
               Contains("list.yaml:1:7: 'tech.energy.name' is 7; expected text, '7' in quotes"));
    CHECK_THAT(fault("name: true\nprices: {}\n"), Contains("is true; expected text"));
    CHECK(fault("name: '7'\nprices: {}\n").empty());
    CHECK_THAT(fault("name: b\nprices: {}\nchip_power: {power: 1 W, percent: {rsa: 60, sram: 41}, "
                     "source: x}\n"),
               Contains("adds up to 101"));
    CHECK_THAT(fault("name: b\nprices: {rsa: {static: {power: 1 W, source: x}}}\nchip_power: "
                     "{power: 1 W, percent: {rsa: 60}, source: x}\n"),
               Contains("is given in addition to the type's share"));
    CHECK_THAT(fault("name: b\nprices: {evictor: {static: {power: 2 W, within: rsa, source: x}}}\n"
                     "chip_power: {power: 1 W, percent: {rsa: 60}, source: x}\n",
                     [](const PriceList& l) {
                         (void)l.power(rsa, std::vector{rsa, evictor});
                     }),
               Contains("more than the whole share of that type"));
}

TEST_CASE("a list must be for machines that can exist")
{
    const auto with = [](const std::string& machines) {
        return fault("name: a\nfor: " + machines + "\nprices: {}\n");
    };
    CHECK(
        with("{rsa: [{rows: [8, 16], clock: 1000 MHz}, {rows: '3*', dataflow: output*}]}").empty());
    CHECK_THAT(with("{rsa: {rows: banana}}"),
               Contains("list.yaml:2:19: 'tech.energy.for.rsa.rows' is 'banana'"));
    CHECK_THAT(with("{rsa: {rows: 32 MiB}}"), Contains("is '32 MiB'"));
    CHECK_THAT(with("{rsa: {rows: '32'}}"), Contains("is '32' in quotes, which is text"));
    CHECK_THAT(with("{rsa: {rows: 0}}"), Contains("is 0; expected at least 1"));
    CHECK_THAT(with("{rsa: {rows: [8, 5000]}}"), Contains("is 5000; expected at most 4096"));
    CHECK_THAT(with("{rsa: {rows: {least: 8}}}"),
               Contains("is a map; expected a value, or a list of values"));
    CHECK_THAT(with("{rsa: {rows: []}}"), Contains("'tech.energy.for.rsa.rows' is empty"));
    CHECK_THAT(with("{rsa: {rows: 'many*'}}"),
               Contains("but no value begins in this way; expected digits before '*'"));
    CHECK_THAT(with("{rsa: {clock: 1}}"), Contains("expected a frequency"));
    CHECK_THAT(with("{rsa: {dataflow: systolic}}"), Contains("is 'systolic'"));
    CHECK_THAT(with("{rsa: {dataflow: row*}}"),
               Contains("but no value begins in this way; expected one of: "));
    CHECK_THAT(with("{rsa: {overlap_loads: 7}}"), Contains("expected true or false"));
    CHECK_THAT(with("{rsa: []}"), Contains("'tech.energy.for.rsa' is empty"));

    const PriceList list = list_of("name: a\nfor: {rsa: {rows: [8, '3*'], clock: 1000 MHz}}\n"
                                   "prices: {}\n");
    Consumer array = rsa;
    array.parameters = {{"rows", "32"}, {"clock", "1 GHz"}};
    CHECK(list.scope().outside(std::vector{array}).empty());
    array.parameters = {{"rows", "16"}, {"clock", "1 GHz"}};
    CHECK(list.scope().outside(std::vector{array}) ==
          std::vector<std::string>{"rsa.rows is 16, not 8 or 3*"});
}

TEST_CASE("a list may refer to another list for a type, whose prices then replace its own")
{
    const std::string other = "{name: other, for: {sram: {size: 4 MiB}}, prices: {"
                              "rsa: {unpriced: nothing}, "
                              "sram: {source: y, access: {energy: 7 pJ, per: byte}, "
                              "static: {unpriced: none here}, area: {area: 2 mm2}}}}";
    const PriceList list = list_of("name: both\nfor: {sram: {size: 1 MiB}, rsa: {rows: 8}}\n"
                                   "lists: {sram: " +
                                   other +
                                   "}\nprices:\n"
                                   "  rsa: {source: x, mac: {energy: 1 pJ}, static: {power: 2 W}}\n"
                                   "  sram: {source: x, read: {energy: 1 pJ, per: byte}}\n");
    CHECK(list.name() == "both");
    CHECK(decimal(list.rate(sram, "read").of(1)) == "7000000");
    CHECK(decimal(list.rate(sram, "write").of(1)) == "7000000");
    CHECK(list.power(sram, std::vector{sram}).is_zero());
    CHECK(mm2(*list.area(sram, std::vector{sram})) == Approx(2));
    CHECK(decimal(list.rate(rsa, "mac").of(1)) == "1000000"); // This price is in the list itself.
    Consumer small = sram, array = rsa;
    small.parameters = {{"size", "2 MiB"}};
    array.parameters = {{"rows", "4"}};
    CHECK(list.scope().outside(std::vector{small, array}) ==
          std::vector<std::string>{"sram.size is 2 MiB, not 4 MiB", "rsa.rows is 4, not 8"});
    const auto refused = [](const std::string& lists, const std::string& why) {
        INFO(lists);
        CHECK_THROWS_WITH(list_of("name: a\nprices: {}\nlists: " + lists + "\n"), Contains(why));
    };
    refused("{srm: " + other + "}", "did you mean 'sram'?");
    refused("{dram: " + other + "}", "is 'other', which has nothing for this type");
    refused("{sram: energy}", "expected a price list");
    refused("{sram: {name: x, prices: {sram: {unpriced: y}}, lists: {rsa: " + other + "}}}",
            "has the key 'lists' itself");
}

TEST_CASE("a price may have a low and a high value, which give the list's totals bounds")
{
    const std::string text = R"(
name: open
prices:
  sram: {source: x, read: {energy: 2 pJ, low: 1 pJ, high: 4 pJ, per: byte}, write: {energy: 3 pJ, per: byte}, static: {power: 5 mW, high: 6 mW}}
  rsa: {source: x, mac: {energy: 1 pJ, low: 1 pJ, high: 1 pJ}}
)";
    const std::vector<Consumer> all{sram, rsa};
    const PriceList list = list_of(text);
    CHECK(list.is_uncertain(all));
    CHECK(decimal(list.rate(sram, "read").of(1)) == "2000000");
    const auto at = [&](Bound bound) { return list_of(text, bound); };
    CHECK(decimal(at(Bound::Low).rate(sram, "read").of(1)) == "1000000");
    CHECK(decimal(at(Bound::High).rate(sram, "read").of(1)) == "4000000");
    CHECK(decimal(at(Bound::High).rate(sram, "write").of(1)) == "3000000");
    CHECK(watts(at(Bound::Low).power(sram, all)) == Approx(5e-3));
    CHECK(watts(at(Bound::High).power(sram, all)) == Approx(6e-3));
    CHECK_FALSE(
        list_of("name: closed\nprices:\n  rsa: {source: x, mac: {energy: 1 pJ, low: 1 pJ}}\n")
            .is_uncertain(all));
    CHECK_THROWS_WITH(
        list_of("name: wrong\nprices:\n  rsa: {source: x, mac: {energy: 1 pJ, low: 2 pJ}}\n"),
        Contains("mac.low' is 2 pJ; expected at most the energy, 1 pJ"));
    CHECK_THROWS_WITH(
        list_of("name: wrong\nprices:\n  sram: {source: x, static: {power: 2 W, high: 1 W}}\n"),
        Contains("static.high' is 1 W; expected at least the power, 2 W"));
    CHECK_THROWS(
        list_of("name: wrong\nprices:\n  sram: {source: x, area: {area: 2 mm2, low: 1 mm2}}\n"));
}
