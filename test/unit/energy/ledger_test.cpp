// SPDX-License-Identifier: Apache-2.0
// Checks every price and every partition of energy against figures derived by hand.
#include "test/unit/energy/lists.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee::test;

constexpr unsigned other = 0, prefill = 1, decode = 2;

const std::vector<Consumer> small_system{{"sram", "sram", true, 2 * mebi},
                                         {"dram", "dram", false, 16384 * mebi},
                                         {"rsa", "rsa"},
                                         {"rsa_kv", "rsa", true, 0, false},
                                         {chip_other, chip_other}};

const char* const small_list = R"(
name: small
prices:
  sram:
    source: a table
    access: {energy: 185.9 pJ, per: 16 B}
    static: {power: 415 mW, per: 4 MiB}
  dram:
    source: a table
    read: {energy: 22.9 pJ, per: bit}
    write: {energy: 1 fJ, per: byte}
    static: {unpriced: in the accesses}
  rsa:
    mac: {energy: 0.23 pJ, source: a paper}
    static: {power: 1 W, source: a paper}
)";

/// Counts one operation of each queue during one second of decoding.
struct Counted {
    Ledger ledger{small_system};
    unsigned gemm = ledger.operation("rsa.gemm");
    unsigned attend = ledger.operation("rsa_kv.gemm");
    unsigned background = ledger.operation("background");

    Counted()
    {
        ledger.set_phase(prefill);
        ledger.count(ledger.account(0, "read"), gemm, 1600);
        ledger.count(ledger.account(1, "read"), gemm, 1000);
        ledger.count(ledger.account(2, "mac"), gemm, 1'000'000);
        ledger.set_phase(decode);
        ledger.count(ledger.account(0, "read"), gemm, 16);
        ledger.count(ledger.account(1, "write"), gemm, 3);
        ledger.count(ledger.account(3, "mac"), attend, 100);
        for (unsigned component = 0; component < small_system.size(); ++component)
            ledger.count(ledger.account(component, "static"), background, 2000);
    }
    [[nodiscard]] Bill bill(const PriceList& prices) const
    {
        return {ledger, ledger.counts(), prices};
    }
};

Attojoules sum(const Bill::Table& table)
{
    Attojoules total = 0;
    for (const auto& [name, energy] : table)
        total += energy;
    return total;
}

} // namespace

TEST_CASE("each event costs its price, to the attojoule")
{
    const Counted counted;
    const PriceList prices = list_of(small_list);
    const Bill bill = counted.bill(prices);
    // A pJ is 10^6 aJ. 1616 bytes take 101 accesses of 16 bytes.
    CHECK(decimal(bill.by_event().at("sram.read")) == "18775900000");
    CHECK(decimal(bill.by_event().at("dram.read")) == "183200000000"); // The bytes have 8000 bits.
    CHECK(decimal(bill.by_event().at("dram.write")) == "3000");
    CHECK(decimal(bill.by_event().at("rsa.mac")) == "230000000000");
    CHECK(decimal(bill.by_event().at("rsa_kv.mac")) == "23000000");
    // The static energies are 2 ns of half of 415 mW, and 2 ns of 1 W. A second queue has no static
    // power.
    CHECK(decimal(bill.by_event().at("sram.static")) == "415000000");
    CHECK(decimal(bill.by_event().at("rsa.static")) == "2000000000");
    CHECK(decimal(bill.by_event().at("rsa_kv.static")) == "0");
    CHECK(decimal(bill.by_event().at("dram.static")) == "0");
    CHECK(decimal(bill.by_component().at("sram")) == "19190900000");
    CHECK(decimal(bill.off_chip()) == "183200003000");
    CHECK(decimal(bill.by_phase()[prefill]) == "431790000000");
    CHECK(decimal(bill.by_phase()[other]) == "0");
    CHECK(decimal(bill.by_operation().at("rsa_kv.gemm")) == "23000000");
    CHECK(decimal(bill.total()) == "434413903000");
}

namespace {

/// Indexes of small_system's components, with their events.
const std::pair<unsigned, const char*> events[] = {
    {0, "read"},   {0, "write"},  {1, "read"},   {1, "write"},  {2, "mac"},   {3, "mac"},
    {0, "static"}, {1, "static"}, {2, "static"}, {3, "static"}, {4, "static"}};

} // namespace

TEST_CASE("partitions by component, event, operation, phase and chip each add up to the total")
{
    Ledger ledger(small_system);
    const PriceList prices = list_of(R"(
name: odd
prices:
  sram: {access: {energy: 1 fJ, per: 7 B, source: none}, static: {power: 1 nW, per: 3 B, source: none}}
  dram: {access: {energy: 7 aJ, per: bit, source: none}, static: {power: 1 pW, source: none}}
  rsa: {mac: {energy: 1 aJ, source: none}, static: {power: 333 uW, source: none}}
)");
    // No count is a multiple of the unit of its price.
    std::uint64_t random = 1;
    for (int i = 0; i < 2000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        ledger.set_phase(static_cast<unsigned>(random >> 33) % 3);
        const auto& [component, event] = events[(random >> 40) % std::size(events)];
        const unsigned operation = ledger.operation("op" + std::to_string((random >> 50) % 5));
        ledger.count(ledger.account(component, event), operation, random >> 30);
    }
    const Bill bill(ledger, ledger.counts(), prices);
    const std::string total = decimal(bill.total());
    CHECK(bill.lines().size() > 100);
    CHECK(decimal(sum(bill.by_component())) == total);
    CHECK(decimal(sum(bill.by_event())) == total);
    CHECK(decimal(sum(bill.by_operation())) == total);
    CHECK(decimal(bill.by_phase()[0] + bill.by_phase()[1] + bill.by_phase()[2]) == total);
    CHECK(decimal(bill.on_chip() + bill.off_chip()) == total);
    Attojoules lines = 0, cells = 0;
    for (const Bill::Line& line : bill.lines())
        lines += line.energy;
    for (const auto& [component, energy] : bill.by_component())
        for (const Attojoules part : bill.phases_of(component))
            cells += part;
    CHECK(decimal(lines) == total);
    CHECK(decimal(cells) == total);
    CHECK(bill.total() > 0);
}

TEST_CASE("earlier counts are the first cells, and energy is linear in them")
{
    Counted counted;
    const PriceList prices = list_of(small_list);
    const std::vector<std::uint64_t> begin = counted.ledger.counts();
    const Attojoules at_begin = counted.bill(prices).total();
    // This count opens a new cell of the ledger.
    counted.ledger.count(counted.ledger.account(0, "write"), counted.gemm, 32);
    counted.ledger.count(counted.ledger.account(0, "read"), counted.gemm, 16);
    const std::vector<std::uint64_t> end = counted.ledger.counts();
    REQUIRE(end.size() == begin.size() + 1);
    // The counts of the interval are added ten times.
    std::vector<std::uint64_t> integrated(end.size());
    for (std::size_t i = 0; i < end.size(); ++i) {
        const std::uint64_t from = i < begin.size() ? begin[i] : 0;
        integrated[i] = from + 10 * (end[i] - from);
    }
    const Bill bill(counted.ledger, integrated, prices);
    CHECK(decimal(bill.total() - at_begin) == "5577000000"); // These are 30 accesses of 16 bytes.
    CHECK(decimal(Bill(counted.ledger, begin, prices).total()) == decimal(at_begin));
}

TEST_CASE("the csv has a line for each cell, with all digits")
{
    const Counted counted;
    const PriceList prices = list_of(small_list);
    const std::string csv = counted.bill(prices).csv();
    CHECK(csv.starts_with("component,event,operation,phase,count,attojoules\n"));
    CHECK(csv.find("\nsram,read,rsa.gemm,prefill,1600,18590000000\n") != std::string::npos);
    CHECK(csv.find("\nsram,read,rsa.gemm,decode,16,185900000\n") != std::string::npos);
    CHECK(csv.find("\nrsa,static,background,decode,2000,2000000000\n") != std::string::npos);
}

TEST_CASE("an account must be announced before anything is counted in it, and only once")
{
    Ledger ledger(small_system);
    std::vector<std::string> announced;
    ledger.on_account = [&](const Consumer& component, const std::string& event) {
        announced.push_back(component.name + "." + event);
    };
    const unsigned operation = ledger.operation("op");
    const unsigned read = ledger.account(0, "read");
    ledger.count(read, operation, 0);
    CHECK(announced.empty());
    ledger.count(read, operation, 1);
    ledger.set_phase(decode);
    ledger.count(read, operation, 1);
    ledger.count(ledger.account(2, "mac"), operation, 1);
    CHECK(announced == std::vector<std::string>{"sram.read", "rsa.mac"});
}

TEST_CASE("a rate of coprime parameters is computed with more digits than are shown")
{
    constexpr std::uint64_t prime = 18'446'744'073'709'551'557u,
                            other = 18'446'744'073'709'551'533u,
                            third = 18'446'744'073'709'551'521u;
    // Each factor is 1, except for 5e-18.
    const Rate rate = Rate{1'000'000, 1}.times(prime, other).times(third, prime - 2).times(7, 9);
    const Rate same = rate + Rate{1, third} - Rate{1, third};
    for (const Rate& priced : {rate, same, rate * Rate{other, third}}) {
        const levee::Wide energy = priced.of(9'000'000'000'000'000'000u);
        const double relative = static_cast<double>(energy) / 7e24 - 1;
        CHECK(std::abs(relative) < 1e-15);
    }
    CHECK((rate < Rate{777'778, 1}));
    CHECK_FALSE((rate < Rate{777'777, 1}));
    CHECK((rate - Rate{777'778, 1}).is_zero());
}

TEST_CASE("a rate's arithmetic is exact if the parts are not whole numbers")
{
    const Rate third = Rate{1, 1}.times(1, 3);
    CHECK(decimal(third.of(1)) == "0");
    CHECK(decimal(third.of(2)) == "1");
    CHECK(decimal(third.of(3'000'000'000'000'000'000)) == "1000000000000000000");
    CHECK(decimal((third + third + third).of(7)) == "7");
    CHECK(decimal((Rate{1, 1} - third).of(3)) == "2");
    const Rate primes = Rate{1, 1}
                            .times(1, 18'446'744'073'709'551'557u)
                            .times(1, 18'446'744'073'709'551'533u); // The factor is nearly 2^-128.
    CHECK(decimal(primes.times(UINT64_MAX, 1).of(UINT64_MAX)) == "1");
    CHECK_THROWS_AS((Rate{levee::Wide{1} << 100, 1}.of(1ull << 60)), std::overflow_error);
}
