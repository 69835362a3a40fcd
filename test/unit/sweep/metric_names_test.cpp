// SPDX-License-Identifier: Apache-2.0
// Tests which names a run's figures can have.
#include "platform/studies/sweep/metric_names.hpp"

#include <catch2/catch.hpp>

using levee::sweep::MetricNames;
using levee::sweep::Plan;

namespace {

MetricNames names()
{
    Plan plan;
    plan.components = {"dram", "kv_edram", "rsa"};
    return MetricNames(plan);
}

} // namespace

TEST_CASE("documented names are known, with the existing components")
{
    const MetricNames all = names();
    for (const char* name :
         {"sim.seconds", "decode.tokens_per_s", "energy.per_token_j", "rsa.macs", "dram.read_bytes",
          "kv_edram.refresh.high_msb", "bounds.decode.rsa.memory_dram_seconds", "bound_by",
          "bounds.decode.bound_by", "bounds.decode.load", "energy_kelle_events.total_j",
          "sampling.error.decode.seconds", "kv_edram.age.high_msb.below_64us", "host.wall_s"}) {
        INFO(name);
        CHECK(all.known(name));
    }
}

TEST_CASE("other names are unknown, and the nearest name is given")
{
    const MetricNames all = names();
    for (const char* name : {"sim.second", "decode.token_per_s", "kv_edrm.refresh.high_msb",
                             "energy.per_tokn_j", "", "bounds.decod.bound_by", "sim.seconds.x"}) {
        INFO(name);
        CHECK_FALSE(all.known(name));
    }
    CHECK(all.near("sim.second") == "; did you mean 'sim.seconds'?");
    CHECK(all.near("kv_edrm.refresh.high_msb") == "; did you mean 'kv_edram.refresh.high_msb'?");
}
