// SPDX-License-Identifier: Apache-2.0
// Kelle's refresh powers, of a full eDRAM that is refreshed as the reference model says, by each of
// its price lists.
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

/// 4 MB in 32 banks, all of it valid; half of its vectors are HST.
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

    /// Of the rows refreshed until `end`.
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

TEST_CASE("refreshing 4 MB that are full takes 25.33 W at 45 us and 1.082 W under 2DRP")
{
    const std::string name = GENERATE("kelle_stated_power", "kelle_events", "kelle_events_per_byte",
                                      "kelle_events_dram8");
    const PriceList prices = shipped(name);
    CHECK(prices.name() == name);
    FullArray always({45 * us, 45 * us, 45 * us, 45 * us});
    CHECK(always.watts(prices, 90 * ms) == Approx(25.33).epsilon(0.01));
    // High score: bits 15:8 and 7:0, then low score.
    FullArray adaptive({360 * us, 5400 * us, 1440 * us, 7200 * us});
    CHECK(adaptive.watts(prices, 216 * ms) == Approx(1.082).epsilon(0.01));
}
