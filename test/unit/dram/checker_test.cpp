// SPDX-License-Identifier: Apache-2.0
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace levee;
using dram_cycle::Command;
using dram_cycle::CommandKind;
using dram_cycle::JedecChecker;

namespace {

using K = CommandKind;

/// A channel's checker. Command times are in picoseconds, rounded up to clocks.
class Channel {
public:
    explicit Channel(dram::Parameters parameters)
        : parameters_(std::move(parameters)), checker_(parameters_)
    {
    }
    /// Issues a command `ps` after the last one, rounded up to a clock, and then moved earlier by
    /// `early` clocks.
    void after(Picoseconds ps, K kind, unsigned bank = 0, std::uint32_t row = 1, unsigned early = 0,
               unsigned rank = 0)
    {
        clock_ += (ps + parameters_.timing.clock - 1) / parameters_.timing.clock - early;
        checker_.check(Command{clock_, kind, rank, bank, row});
    }
    [[nodiscard]] std::string faults() const
    {
        std::string all;
        for (const std::string& fault : checker_.faults())
            all += fault + "\n";
        return all;
    }
    const dram::Parameters parameters_;
    JedecChecker checker_;

private:
    std::uint64_t clock_ = 0;
};

struct Planted {
    std::string rule;
    /// Issues commands that are legal with early = 0 and break the named rule with early = 1.
    std::function<void(Channel&, const dram::Timing&, unsigned early)> play;
};

constexpr Picoseconds long_time = 500'000;

// In LPDDR5 and HBM2, banks 0 and 1 are in one bank group, and bank 4 is in another group.
const std::vector<Planted> planted{
    {"tRCD",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate);
         c.after(t.rcd_read, K::Read, 0, 1, early);
     }},
    {"tRAS",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate);
         c.after(t.ras, K::Precharge, 0, 0, early);
     }},
    {"tRP",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate);
         c.after(t.rc, K::Precharge);
         c.after(t.rp, K::Activate, 0, 1, early);
     }},
    {"tRC",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         // Only the time between the two activates is too short.
         c.after(0, K::Activate);
         c.after(t.ras, K::Precharge);
         c.after(t.rc - t.ras, K::Activate, 0, 1, early);
     }},
    {"tRRD_L",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate, 0);
         c.after(t.rrd_l, K::Activate, 1, 1, early);
     }},
    {"tRRD_S",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate, 0);
         c.after(t.rrd_s, K::Activate, 4, 1, early);
     }},
    {"tFAW",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         // Four activates come as close together as tRRD allows, and the fifth as early as tFAW
         // allows.
         const Picoseconds step = (t.rrd_s + t.clock - 1) / t.clock * t.clock;
         for (unsigned i = 0; i < 4; ++i)
             c.after(i == 0 ? 0 : step, K::Activate, i * 4 % 16 + i / 4);
         c.after(std::max(t.faw - 3 * step, step), K::Activate, 5, 1, early);
     }},
    {"tCCD_L",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate);
         c.after(long_time, K::Read);
         c.after(t.ccd_l_clocks * t.clock, K::Read, 0, 1, early);
     }},
    {"tCCD_S",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate, 0);
         c.after(long_time, K::Activate, 4);
         c.after(long_time, K::Read, 0);
         c.after(t.ccd_s_clocks * t.clock, K::Read, 4, 1, early);
     }},
    {"tRTP",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate);
         c.after(long_time, K::Read);
         c.after(t.rtp, K::Precharge, 0, 0, early);
     }},
    {"tWR",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         const dram::Clocks n = dram::clocks(c.parameters_);
         c.after(0, K::Activate);
         c.after(long_time, K::Write);
         c.after((n.write_latency + n.burst) * t.clock + t.wr, K::Precharge, 0, 0, early);
     }},
    {"tWTR_L",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         const dram::Clocks n = dram::clocks(c.parameters_);
         c.after(0, K::Activate);
         c.after(long_time, K::Write);
         c.after((n.write_latency + n.burst) * t.clock + t.wtr_l, K::Read, 0, 1, early);
     }},
    {"tWTR_S",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         const dram::Clocks n = dram::clocks(c.parameters_);
         c.after(0, K::Activate, 0);
         c.after(long_time, K::Activate, 4);
         c.after(long_time, K::Write, 0);
         c.after((n.write_latency + n.burst) * t.clock + t.wtr_s, K::Read, 4, 1, early);
     }},
    {"tRTW",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         const dram::Clocks n = dram::clocks(c.parameters_);
         c.after(0, K::Activate);
         c.after(long_time, K::Read);
         c.after((n.read_latency + n.burst + n.turnaround - n.write_latency) * t.clock, K::Write, 0,
                 1, early);
     }},
    {"tRFCpb:",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::RefreshBank);
         c.after(t.rfc_bank, K::Activate, 0, 1, early);
     }},
    {"tRFCpb to other bank",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::RefreshBank);
         c.after(t.refresh_to_activate, K::Activate, 1, 1, early);
     }},
    {"tRFCpb to refresh",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::RefreshBank);
         c.after(t.refresh_to_refresh, K::RefreshBank, 1, 0, early);
     }},
    {"tRFCab",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::RefreshAll);
         c.after(t.rfc_all, K::Activate, 3, 1, early);
     }},
    {"tREFI",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         // Here early = 1 makes the refresh one interval too late.
         const Picoseconds allowed =
             t.refi / c.parameters_.banks_per_rank() *
             (t.postponed_refreshes * c.parameters_.banks_per_rank() + (early ? 1 : 0));
         c.after(allowed + (early ? t.clock * 2 + t.refi / 100 : 0), K::RefreshBank);
     }},
    {"refresh order",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::RefreshBank, 0);
         c.after(long_time, K::RefreshBank, early ? 0 : 1);
     }},
    {"row 1 is open",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::Activate, 0, 1);
         c.after(long_time, K::Read, 0, early ? 2 : 1);
     }},
    {"the bank is closed",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::Activate, 0, 1);
         c.after(long_time, K::Read, early ? 1 : 0, 1);
     }},
    {"the bank is open",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::Activate, 0, 1);
         c.after(long_time, K::Activate, early ? 0 : 1, 1);
     }},
    {"refresh of an open bank",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::Activate, 0, 1);
         c.after(long_time, K::RefreshBank, early ? 0 : 1);
     }},
    {"refresh with an open bank",
     [](Channel& c, const dram::Timing&, unsigned early) {
         c.after(0, K::Activate, 0, 1);
         c.after(long_time, early ? K::Precharge : K::PrechargeAll, 0);
         c.after(long_time, early ? K::Activate : K::RefreshAll, 2, 1);
         if (early)
             c.after(long_time, K::RefreshAll);
     }},
    {"command bus",
     [](Channel& c, const dram::Timing& t, unsigned early) {
         c.after(0, K::Activate, 0);
         c.after(long_time, K::Activate, 4);
         c.after(c.parameters_.command_bus.activate_clocks * t.clock, K::Precharge, 0, 0, early);
     }},
};

} // namespace

TEST_CASE("the checker accepts the least time of each rule and refuses less", "[checker]")
{
    // Stretches a rule that other parameters would otherwise hide.
    dram::Parameters parameters = dram_test::standard("hbm2");
    dram::Timing& t = parameters.timing;
    t.rc = t.ras + t.rp + 3 * t.clock;
    t.ccd_s_clocks = 3;
    for (const Planted& rule : planted) {
        INFO(rule.rule);
        Channel good(parameters);
        rule.play(good, t, 0);
        CHECK(good.faults().empty());
        Channel bad(parameters);
        rule.play(bad, t, 1);
        CHECK(bad.faults().find(rule.rule) != std::string::npos);
    }
}

TEST_CASE("the checker keeps the two parts of an activate together", "[checker]")
{
    dram::Parameters parameters = dram_test::standard("lpddr5");
    const dram::Timing& t = parameters.timing;
    const Picoseconds window = parameters.command_bus.activate_window * t.clock;
    REQUIRE(window > 0);
    const auto faults = [&](Picoseconds second, unsigned bank, Picoseconds read, unsigned early) {
        Channel c(parameters);
        c.after(0, K::Activate, 0);
        c.after(second, K::SecondActivate, bank);
        c.after(read, K::Read, 0, 1, early);
        return c.faults();
    };
    CHECK(faults(window, 0, t.rcd_read, 0).empty());
    CHECK(faults(window + t.clock, 0, t.rcd_read, 0).find("tAAD") != std::string::npos);
    CHECK(faults(window, 4, t.rcd_read, 0).find("first activate") != std::string::npos);
    // tRCD counts from the second command of the activate.
    CHECK(faults(window, 0, t.rcd_read, 1).find("tRCD") != std::string::npos);
    Channel between(parameters);
    between.after(0, K::Activate, 0);
    between.after(t.clock, K::Activate, 4);
    CHECK(between.faults().find("tAAD") != std::string::npos);
}

TEST_CASE("precharges of a rank keep tPPD", "[checker]")
{
    const dram::Parameters parameters = dram_test::standard("lpddr4");
    for (const unsigned early : {0U, 1U}) {
        Channel c(parameters);
        c.after(0, K::Activate, 0);
        c.after(long_time, K::Activate, 4);
        c.after(long_time, K::Precharge, 0);
        c.after(parameters.timing.ppd_clocks * parameters.timing.clock, K::Precharge, 4, 1, early);
        CHECK(c.faults().empty() == (early == 0));
    }
}

TEST_CASE("bursts of two ranks keep the data bus idle between them", "[checker]")
{
    dram::Parameters parameters = dram_test::standard("lpddr4");
    CHECK(parameters.timing.rank_clocks == parameters.timing.turnaround_clocks);
    parameters.timing.rank_clocks = GENERATE(1U, 3U, 5U);
    const dram::Clocks n = dram::clocks(parameters);
    for (const unsigned early : {0U, 1U}) {
        Channel c(parameters);
        c.after(0, K::Activate, 0, 1, 0, 0);
        c.after(long_time, K::Activate, 0, 1, 0, 1);
        c.after(long_time, K::Read, 0, 1, 0, 0);
        c.after((n.burst + n.rank) * parameters.timing.clock, K::Read, 0, 1, early, 1);
        CHECK(c.faults().empty() == (early == 0));
    }
}

TEST_CASE("a checker that checked nothing does not pass", "[checker]")
{
    const dram::Parameters parameters = dram_test::standard("lpddr4");
    JedecChecker checker(parameters);
    checker.finish(0);
    CHECK_FALSE(checker.faults().empty());
}

TEST_CASE("missing refreshes are found at the end", "[checker]")
{
    const dram::Parameters parameters = dram_test::standard("lpddr4");
    JedecChecker checker(parameters);
    checker.check(Command{0, K::Activate, 0, 0, 1});
    checker.finish(parameters.timing.refi * 10 / parameters.timing.clock);
    REQUIRE_FALSE(checker.faults().empty());
    CHECK(checker.faults().front().find("tREFI") == 0);
}
