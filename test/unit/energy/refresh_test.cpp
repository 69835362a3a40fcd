// SPDX-License-Identifier: Apache-2.0
// Checks Kelle's refresh powers with each of its price lists. The reference model refreshes a full
// eDRAM.
#include "ip/dma/declaration.hpp"
#include "ip/edram/array.hpp"
#include "ip/kv_tables/operations.h"
#include "ip/sfu/declaration.hpp"
#include "ip/sync/declaration.hpp"
#include "ip/systolic_evictor/declaration.hpp"
#include "ip/systolic_evictor/regs.h"
#include "platform/input/config/compose.hpp"
#include "test/unit/energy/lists.hpp"

#include <catch2/catch.hpp>

namespace {

using namespace levee::test;
using levee::edram::Time;

constexpr Time ms = 1'000'000'000, us = 1'000'000;

const std::vector<const levee::Declaration*> kelle_types{
    &levee::riscv::declaration,   &levee::bus::declaration,
    &levee::commands_declaration, &levee::sram::tcm_declaration,
    &levee::sram::declaration,    &levee::edram::declaration,
    &levee::dram::declaration,    &levee::rsa::declaration,
    &levee::sfu::declaration,     &levee::dma::declaration,
    &levee::sync::declaration,    &levee::systolic_evictor::declaration};

PriceList shipped(const std::string& name)
{
    const levee::config::FileFinder finder(LEVEE_ENERGY_LISTS);
    const auto file = std::filesystem::path(LEVEE_ENERGY_LISTS) / (name + ".yaml");
    return {levee::config::compose(file, finder, {}), "tech.energy", kelle_types};
}

/// An eDRAM of 4 MB in 32 banks. All rows are valid, and half of its vectors have high scores.
class FullArray {
public:
    explicit FullArray(const levee::edram::GroupTimes& intervals)
        : bytes_(4 * mebi + levee::edram::Array::score_count(config_.geometry)),
          array_(with(intervals), {1, 1}, bytes_.data())
    {
        constexpr std::uint64_t vector_bytes = 256, vectors = 2 * mebi / vector_bytes;
        array_.set_region(0, {0, vector_bytes, 0, vectors}, 0);
        const std::vector<std::uint8_t> high(vectors / 2, LEVEE_SE_VIEW_HIGH);
        array_.write_scores(0, high.data(), high.size(), 0);
        array_.write(0, 4 * mebi, 0);
    }

    /// Returns the power of the rows refreshed until `end`.
    double watts(const PriceList& prices, Time end)
    {
        array_.settle(end);
        Ledger ledger({{"kv_edram", "edram", true, 4 * mebi}});
        const unsigned refresh = ledger.account(0, "refresh");
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
            ledger.count(refresh, ledger.operation("refresh." + std::to_string(group)),
                         array_.refresh().refreshed()[group] * config_.geometry.row_bytes);
        return joules(Bill(ledger, ledger.counts(), prices).total()) / 1e-12 /
               static_cast<double>(end);
    }

private:
    levee::edram::ArrayConfig with(const levee::edram::GroupTimes& intervals)
    {
        config_.refresh = {intervals, 4000};
        return config_;
    }

    levee::edram::ArrayConfig config_{{levee::edram::Layout::Kv, 4 * mebi, 32}, {}, std::nullopt};
    std::vector<std::uint8_t> bytes_;
    levee::edram::Array array_;
};

} // namespace

TEST_CASE("refreshing a full 4 MB takes 25.33 W at 45 us and 1.082 W under 2DRP")
{
    const std::string name = GENERATE("kelle_stated_power", "kelle_events", "kelle_events_per_byte",
                                      "kelle_events_dram8");
    const PriceList prices = shipped(name);
    CHECK(prices.name() == name);
    FullArray always({45 * us, 45 * us, 45 * us, 45 * us});
    CHECK(always.watts(prices, 90 * ms) == Approx(25.33).epsilon(0.01));
    // The first two intervals are for high scores, bits 15:8 and 7:0; the others are for low
    // scores.
    FullArray adaptive({360 * us, 5400 * us, 1440 * us, 7200 * us});
    CHECK(adaptive.watts(prices, 216 * ms) == Approx(1.082).epsilon(0.01));
}

namespace {

Consumer memory(const char* name, const char* type, std::uint64_t bytes, unsigned ports)
{
    return {name,
            type,
            true,
            bytes,
            true,
            ports,
            {{"size", levee::config::format_quantity(bytes, levee::config::Dimension::Size)},
             {"ports", std::to_string(ports)}}};
}

/// Returns Kelle's machine with a different array and a different eDRAM.
std::vector<Consumer> machine(std::uint64_t rows, std::uint64_t edram, unsigned ports = 1)
{
    const std::string side = std::to_string(rows);
    return {{"rsa", "rsa", true, 0, true, 1, {{"rows", side}, {"columns", side}}},
            memory("sram", "sram", 2 * mebi, ports),
            memory("kv", "edram", edram, ports),
            memory("act", "edram", mebi / 4, ports)};
}

} // namespace

TEST_CASE("Kelle's lists warn of a 64x64 array and of 8 MB")
{
    for (const char* const name :
         {"kelle_stated_power", "kelle_own_power", "kelle_events", "kelle_events_per_byte"}) {
        INFO(name);
        const PriceScope scope = shipped(name).scope();
        CHECK(scope.outside(machine(32, 4 * mebi)).empty());
        const auto found = scope.outside(machine(32, 8 * mebi));
        REQUIRE(found.size() == 1);
        CHECK(found[0].starts_with("kv.size is 8 MiB, not 4 MiB"));
    }
    for (const char* const name : {"kelle_stated_power", "kelle_own_power"})
        CHECK(shipped(name).scope().outside(machine(64, 4 * mebi)) ==
              std::vector<std::string>{"rsa.rows is 64, not 32", "rsa.columns is 64, not 32"});
    CHECK(shipped("kelle_events_scaled").scope().outside(machine(64, 8 * mebi, 2)).empty());
}

TEST_CASE("Kelle's scaled list follows the machine, and larger parts are never cheaper")
{
    const PriceList scaled = shipped("kelle_events_scaled");
    const std::vector<Consumer> large = machine(64, 8 * mebi);
    const auto pj = [](const Rate& rate, std::uint64_t count) {
        return static_cast<double>(rate.of(count)) / 1e6;
    };
    CHECK(pj(scaled.rate(large[1], "read"), 16) == Approx(185.9 * 0.7071).epsilon(1e-3));
    CHECK(pj(scaled.rate(large[2], "read"), 16) == Approx(84.8 * 1.4142).epsilon(1e-3));
    // The memory's size does not change the energy of a row.
    CHECK(pj(scaled.rate(large[2], "refresh"), 4 * mebi) == Approx(1.14e9));
    // The array has 4 x 2.185 of 7.3 mm2 and takes that share of 415 mW, here for 1 us.
    CHECK(pj(scaled.power(large[0], large), 1'000'000) == Approx(4 * 2.185 / 7.3 * 415e3));
    CHECK(pj(scaled.power(large[2], large), 1'000'000) == Approx(2 * 154e3));
    const std::vector<Consumer> small = machine(32, 4 * mebi), ported = machine(64, 8 * mebi, 2);
    for (std::size_t i = 0; i < small.size(); ++i)
        for (const auto& [less, more] : {std::pair{&small, &large}, std::pair{&large, &ported}}) {
            const Consumer &a = (*less)[i], &b = (*more)[i];
            INFO(a.name);
            CHECK_FALSE(scaled.power(b, *more) < scaled.power(a, *less));
            CHECK_FALSE(*scaled.area(b, *more) < *scaled.area(a, *less));
            if (a.size_bytes != 0)
                CHECK_FALSE(scaled.rate(b, "read") < scaled.rate(a, "read"));
        }
}
