// SPDX-License-Identifier: Apache-2.0
// Tests the modules in a flash, channels, slice control, dies and cores: their tracing, binding and
// replacement.
#include "test/unit/flash/flash_bench.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace levee;
using namespace levee::test;

namespace {

/// Returns one tile of 32 x 32 weights, with a page in each core.
levee_flash_operation one_tile()
{
    levee_flash_operation op{};
    op.rows = op.columns = 32;
    op.core_rows = op.core_columns = 16;
    op.weight_bits = 8;
    op.input_bytes = 1;
    op.result_bytes = 4;
    return op;
}

Picoseconds time_of(const flash::Config& config)
{
    FlashBench bench({config});
    Picoseconds took = 0;
    bench.run([&] {
        const PlacedMatrix placed = place_matrix(bench, one_tile(), 1);
        CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        const auto words = bench.get<std::int32_t>(placed.op.result, placed.op.rows);
        CHECK(std::vector<std::int64_t>(words.begin(), words.end()) == placed.product());
    });
    return took;
}

/// A core that takes the same time for every page.
struct SteadyCore : flash::ComputeCore {
    [[nodiscard]] flash::Time compute(std::uint64_t) const override { return 1'000'000'000; }
};

/// A slice control that transfers whole pages first. It counts its calls.
struct DataFirst : flash::SliceControl {
    explicit DataFirst(unsigned& count) : asked(count) {}
    [[nodiscard]] std::optional<flash::BusUse> next(flash::BusQueues& queues) override
    {
        using flash::BusUse;
        ++asked;
        for (const BusUse use :
             {BusUse::DataOut, BusUse::Result, BusUse::Input, BusUse::Command, BusUse::DataIn})
            if (queues.waits(use))
                return use;
        return std::nullopt;
    }
    [[nodiscard]] std::uint32_t slice(std::uint32_t left) const override { return left; }
    unsigned& asked;
};

} // namespace

TEST_CASE("channels, slice control, dies and cores are modules in the hierarchy")
{
    FlashBench bench({small_flash()});
    bench.run([] {});
    for (const char* name : {"flash0.channel1", "flash0.channel1.slice_control",
                             "flash0.channel1.die1", "flash0.channel1.die1.core"}) {
        const sc_core::sc_object* const object = sc_core::sc_find_object(name);
        REQUIRE(object != nullptr);
        CHECK(std::string(object->kind()) == "sc_module");
    }
    CHECK(sc_core::sc_find_object("flash0.channel0.die0.compute") != nullptr);
}

TEST_CASE("a flash without replaced modules takes the time by hand")
{
    // The time is the sum of an input of 1 + 16 bytes, tR of 30 us, 256 MACs at 10 M/s, and 64
    // bytes of results from both cores.
    const Picoseconds took = time_of(small_flash());
    CHECK(took > 30'000'000 + 25'600'000);
    CHECK(took < 30'000'000 + 25'600'000 + 1'500'000);
}

TEST_CASE("cores can be replaced")
{
    flash::Config config = small_flash();
    config.parts.core = [](const flash::TimingConfig&) { return std::make_unique<SteadyCore>(); };
    const Picoseconds took = time_of(config);
    CHECK(took > 30'000'000 + 1'000'000'000);
    CHECK(took < 30'000'000 + 1'000'000'000 + 1'500'000);
}

TEST_CASE("slice control can be replaced")
{
    flash::Config config = small_flash();
    unsigned asked = 0;
    config.parts.slice_control = [&](const flash::TimingConfig&) {
        return std::make_unique<DataFirst>(asked);
    };
    (void)time_of(config);
    CHECK(asked > 0);
}

TEST_CASE("outputs of a flash's modules are traced in time")
{
    const auto stem = std::filesystem::temp_directory_path() /
                      ("levee_flash_" + std::to_string(Catch::rngSeed()) + "_modules");
    {
        FlashBench bench({small_flash()});
        sc_core::sc_trace_file* const file = sc_core::sc_create_vcd_trace_file(stem.c_str());
        file->set_time_unit(1, sc_core::SC_PS);
        bench.flashes[0]->channels().trace_signals(*file);
        bench.run([&] {
            const PlacedMatrix placed = place_matrix(bench, one_tile(), 1);
            Picoseconds took = 0;
            CHECK(bench.timed(LEVEE_FLASH_COMPUTE, placed.op, took) == LEVEE_ERROR_NONE);
        });
        sc_core::sc_close_vcd_trace_file(file);
    }
    std::ostringstream text;
    text << std::ifstream(stem.string() + ".vcd").rdbuf();
    std::filesystem::remove(stem.string() + ".vcd");
    const std::string vcd = text.str();
    // Finds the identifier of a core's output and its two edges, which are one page's time apart.
    const auto at = vcd.find(" busy ");
    REQUIRE(at != std::string::npos);
    const auto last = vcd.find_last_not_of(' ', at), blank = vcd.rfind(' ', last);
    const std::string id = vcd.substr(blank + 1, last - blank);
    const auto time_at = [&](const std::string& change) {
        const auto there = vcd.find("\n" + change + "\n");
        REQUIRE(there != std::string::npos);
        const auto stamp = vcd.rfind("\n#", there);
        return std::stoull(vcd.substr(stamp + 2));
    };
    const auto rises = time_at("1" + id);
    const auto falls = vcd.find("\n0" + id + "\n", vcd.find("\n1" + id + "\n"));
    REQUIRE(falls != std::string::npos);
    CHECK(std::stoull(vcd.substr(vcd.rfind("\n#", falls) + 2)) - rises == 25'600'000);
}
