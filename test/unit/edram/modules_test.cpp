// SPDX-License-Identifier: Apache-2.0
// Tests the modules in an eDRAM, bank groups and refresh controllers: their tracing, binding and
// replacement.
#include "test/unit/edram/module_bench.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace levee;
using namespace levee::edram_test;

namespace {

constexpr AccessPattern keys{0, MiB, {1, 1, 1}, {0, 0, 0}, false};

/// Returns the time of a stream over half of the keys, after all rows have been written.
Picoseconds streamed(Bench& b)
{
    b.fill(0, 4 * MiB);
    Job job;
    Picoseconds latency = 0;
    REQUIRE(b.bulk.open(Direction::Read, keys, MiB, job.activity.uses, latency));
    const Picoseconds start = now_ps();
    b.engine.start(job);
    sc_core::wait(job.done);
    return now_ps() - start;
}

/// A refresh controller whose refreshes take no time from accesses.
struct Hidden : edram::Refresh {
    using Refresh::Refresh;
    [[nodiscard]] double load(std::size_t) const override { return 0.0; }
};

} // namespace

TEST_CASE("bank groups and refresh controllers are modules in the hierarchy", "[modules]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        for (const char* name : {"bench.kv.refresh", "bench.kv.keys", "bench.kv.values"}) {
            const sc_core::sc_object* const object = sc_core::sc_find_object(name);
            REQUIRE(object != nullptr);
            CHECK(std::string(object->kind()) == "sc_module");
        }
        CHECK(sc_core::sc_find_object("bench.kv.keys.refresh") != nullptr);
        CHECK(b.memory.group(1).refresh->refresh().interval(0) == 45 * us);
    });
}

TEST_CASE("refresh by the usual rules takes its share of the banks", "[modules]")
{
    Picoseconds took = 0;
    simulate(kv_config(all(45 * us)), [&](Bench& b) { took = streamed(b); });
    // Refresh takes 4.1 of every 45 us.
    CHECK(static_cast<double>(took) == Approx(MiB * 1000.0 / 128 / (1 - 4.096 / 45)));
}

TEST_CASE("the refresh controller of a bank group can be replaced", "[modules]")
{
    edram::Config config = kv_config(all(45 * us));
    config.make_refresh = [](const char* name, const edram::Geometry& geometry,
                             const edram::RefreshConfig& refresh) {
        return std::make_unique<edram::RefreshController>(
            name, geometry, std::make_unique<Hidden>(geometry, refresh));
    };
    simulate(config, [&](Bench& b) {
        CHECK(streamed(b) == MiB * 1000 / 128);
        wait_until(45 * us);
        CHECK(b.refreshes(0) == 4 * MiB / 256); // All rows are counted as refreshed.
    });
}

TEST_CASE("outputs of the modules are traced", "[modules]")
{
    const auto stem = std::filesystem::temp_directory_path() /
                      ("levee_edram_" + std::to_string(Catch::rngSeed()) + "_modules");
    {
        Bench bench("bench", kv_config(all(45 * us)), [](Bench& b) {
            wait_until(10 * us);
            (void)streamed(b);
            std::uint32_t forget = LEVEE_EDRAM_CONTROL_FORGET;
            b.set_reg(LEVEE_EDRAM_CONTROL, forget);
            sc_core::wait(1, sc_core::SC_US);
            sc_core::sc_stop();
        });
        sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(stem.c_str());
        file->set_time_unit(1, sc_core::SC_PS);
        bench.memory.trace_signals(*file);
        sc_core::sc_start();
        sc_core::sc_close_vcd_trace_file(file);
    }
    std::ostringstream text;
    text << std::ifstream(stem.string() + ".vcd").rdbuf();
    std::filesystem::remove(stem.string() + ".vcd");
    const std::string vcd = text.str();
    for (const char* scope : {"refresh", "keys", "values"})
        CHECK(vcd.find(std::string("scope module ") + scope) != std::string::npos);
    CHECK(vcd.find("#10000000\n") != std::string::npos); // The time at which rows were written.
    // Share of time that refresh takes from here on.
    CHECK(vcd.find("r0.0910") != std::string::npos);
}
