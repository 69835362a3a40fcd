// SPDX-License-Identifier: Apache-2.0
#include "core/abi/boot_info.h"
#include "ip/kv_tables/operations.h"
#include "test/unit/edram/curve.hpp"
#include "test/unit/edram/module_bench.hpp"

#include <cstring>
#include <numeric>

using namespace levee;
using namespace levee::edram_test;

namespace {

/// Returns the refresh power in watts of a full array, from the refreshes counted over 0.3 s.
double refresh_power(Bench& b)
{
    // Kelle, table 1: one pass over 4 MB takes 1.14 mJ.
    constexpr double joule_per_byte = 271.8e-12;
    b.fill(0, 4 * MiB);
    wait_until(300 * ms);
    double rows = 0;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        rows += static_cast<double>(b.refreshes(group));
    return rows * 128 * joule_per_byte / 0.3;
}

} // namespace

TEST_CASE("the memory holds 4 MiB and refuses accesses beyond", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        std::uint64_t out = 0x1234'5678'9ABC'DEF0, in = 0;
        CHECK(b.access(b.socket, tlm::TLM_WRITE_COMMAND, 4 * MiB - 8, &out, 8) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(b.last_delay == 1'900);
        CHECK(b.access(b.socket, tlm::TLM_READ_COMMAND, 4 * MiB - 8, &in, 8) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(in == out);
        CHECK(b.reg(LEVEE_EDRAM_SIZE) == 4 * MiB);
        CHECK(b.reg(LEVEE_EDRAM_ID) == LEVEE_BLOCK_EDRAM);
        CHECK(b.reg(LEVEE_EDRAM_ROW_BYTES) == 128);
        CHECK(b.reg(LEVEE_EDRAM_VALUES) == 2 * MiB);
        CHECK(b.reg(LEVEE_EDRAM_SCORE_OFFSET) == 4 * MiB);
        const std::uint64_t scores = b.reg(LEVEE_EDRAM_SCORE_COUNT);
        CHECK(scores == 65536);
        // These accesses cross the end of the data, or lie beyond the register file.
        for (const std::uint64_t address : {4 * MiB - 4, 4 * MiB + scores - 4, 4 * MiB + scores})
            CHECK(b.access(b.socket, tlm::TLM_READ_COMMAND, address, &in, 8) ==
                  tlm::TLM_ADDRESS_ERROR_RESPONSE);
        std::vector<std::uint8_t> data(64);
        CHECK_FALSE(b.bulk.read({4 * MiB - 32, 64, {1, 1, 1}, {0, 0, 0}, false}, data.data()));
        CHECK_THROWS_AS(b.memory.load(4 * MiB - 8, data), std::out_of_range);
        CHECK(b.figures().at("read_bytes") == 8);
        CHECK(b.figures().at("write_bytes") == 8);
    });
}

TEST_CASE("keys and values stream at 256 GB/s together", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        const AccessPattern keys{0, MiB, {1, 1, 1}, {0, 0, 0}, false};
        AccessPattern values = keys;
        values.address = 2 * MiB;
        Job job;
        Picoseconds latency = 0;
        REQUIRE(b.bulk.open(Direction::Read, keys, MiB, job.activity.uses, latency));
        REQUIRE(b.bulk.open(Direction::Read, values, MiB, job.activity.uses, latency));
        CHECK(latency == 1'900);
        const Picoseconds start = now_ps();
        b.engine.start(job);
        sc_core::wait(job.done);
        CHECK(now_ps() - start == 2 * MiB * 1000 / 256);
        // One access to both halves uses both sides.
        Job whole;
        const AccessPattern all_of_it{0, 4 * MiB, {1, 1, 1}, {0, 0, 0}, false};
        REQUIRE(b.bulk.open(Direction::Write, all_of_it, 4 * MiB, whole.activity.uses, latency));
        const Picoseconds second = now_ps();
        b.engine.start(whole);
        sc_core::wait(whole.done);
        CHECK(now_ps() - second == 4 * MiB * 1000 / 256);
        CHECK(b.figures().at("read_bytes") == 2 * MiB);
        CHECK(b.figures().at("write_bytes") == 4 * MiB);
    });
}

TEST_CASE("written data are read back, packed or scattered", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        std::vector<std::uint8_t> data(6000), back(6000);
        std::iota(data.begin(), data.end(), std::uint8_t{0});
        const AccessPattern pattern{2 * MiB - 3000, 100, {3, 4, 5}, {5000, 1000, 120}, false};
        REQUIRE(b.bulk.write(pattern, data.data()));
        REQUIRE(b.bulk.read(pattern, back.data()));
        CHECK(back == data);
        REQUIRE(b.bulk.discard(pattern));
        CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
        b.fill(0, 256);
        CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 2);
        b.set_reg(LEVEE_EDRAM_CONTROL, LEVEE_EDRAM_CONTROL_FORGET);
        CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
        CHECK(b.reg(LEVEE_EDRAM_CONTROL) == 0);
    });
}

TEST_CASE("a full array takes 25.33 W to refresh every 45 us", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        CHECK(refresh_power(b) == Approx(25.33).epsilon(0.01));
        CHECK(b.reg(LEVEE_EDRAM_VIOLATIONS) == 0);
    });
}

TEST_CASE("a full array takes 1.082 W to refresh under 2DRP", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group) {
            b.set_reg(LEVEE_EDRAM_INTERVAL(group),
                      static_cast<std::uint32_t>(two_dimensional[group]));
            b.set_reg(LEVEE_EDRAM_INTERVAL(group) + 4,
                      static_cast<std::uint32_t>(two_dimensional[group] >> 32));
            CHECK(b.reg(LEVEE_EDRAM_INTERVAL(group)) ==
                  static_cast<std::uint32_t>(two_dimensional[group]));
        }
        b.set_reg(LEVEE_EDRAM_REGION_OFFSET(0), 0);
        b.set_reg(LEVEE_EDRAM_REGION_VECTOR_BYTES(0), 256);
        b.set_reg(LEVEE_EDRAM_REGION_FIRST_ENTRY(0), 0);
        b.set_reg(LEVEE_EDRAM_REGION_VECTORS(0), 8192);
        // A write through the memory's port marks every second token as important (VIEW_HIGH).
        b.fill(4 * MiB, 8192, 5);
        const std::vector<std::uint8_t> high(4096, LEVEE_SE_VIEW_HIGH);
        REQUIRE(b.bulk.write({4 * MiB, 1, {4096, 1, 1}, {2, 0, 0}, false}, high.data()));
        std::uint8_t entry = 0;
        CHECK(b.access(b.socket, tlm::TLM_READ_COMMAND, 4 * MiB + 2, &entry, 1) ==
              tlm::TLM_OK_RESPONSE);
        CHECK(int(entry) == LEVEE_SE_VIEW_HIGH);
        CHECK(refresh_power(b) == Approx(1.082).epsilon(0.01));
        CHECK(b.reg(LEVEE_EDRAM_VIOLATIONS) == 0);
        const auto figures = b.figures();
        CHECK(figures.at("refresh.high_msb") == 8192.0 * 833);
        CHECK(figures.at("valid_row_seconds.low_lsb") == Approx(8192 * 0.3));
        CHECK(figures.at("interval_s.high_lsb") == Approx(5.4e-3));
    });
}

TEST_CASE("a stream waits for refresh, and the waiting time is reported", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        b.fill(0, 2 * MiB); // Refresh of 1024 rows per key bank takes 4.096 of every 45 us.
        const auto read_keys = [&](Picoseconds pace) {
            Job job;
            Picoseconds latency = 0;
            const AccessPattern keys{0, MiB, {1, 1, 1}, {0, 0, 0}, false};
            REQUIRE(b.bulk.open(Direction::Read, keys, MiB, job.activity.uses, latency));
            job.activity.minimum = pace;
            const Picoseconds start = now_ps();
            b.engine.start(job);
            sc_core::wait(job.done);
            return std::pair(static_cast<double>(now_ps() - start), job.activity.refresh_share);
        };
        const double alone = MiB * 1000.0 / 128;
        const auto [time, share] = read_keys(0);
        CHECK(time == Approx(alone / (1.0 - 4.096 / 45.0)).epsilon(1e-6));
        CHECK(share == Approx(4.096 / 45.0).epsilon(1e-6));
        // This uses 90 % of the time of the bank.
        CHECK(read_keys(9'100'000) == std::pair(9'100'000.0, 0.0));
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group) {
            b.set_reg(LEVEE_EDRAM_INTERVAL(group), 5'000'000);
            b.set_reg(LEVEE_EDRAM_INTERVAL(group) + 4, 0);
        }
        CHECK(read_keys(0).first == Approx(alone / (1.0 - 4.096 / 5.0)).epsilon(1e-6));
        const auto [paced, part] = read_keys(9'100'000);
        CHECK(paced == Approx(alone / (1.0 - 4.096 / 5.0)).epsilon(1e-6));
        CHECK(part == Approx(1.0 - 9'100'000 / paced).epsilon(1e-6));
        CHECK(b.figures().at("refresh.most_load") == Approx(4.096 / 5.0));
        b.set_reg(LEVEE_EDRAM_INTERVAL(0), 4'000'000);
        std::uint32_t zero = 0;
        CHECK_THROWS_WITH(
            b.access(b.control, tlm::TLM_WRITE_COMMAND, LEVEE_EDRAM_INTERVAL(0) + 4, &zero, 4),
            Catch::Contains("refresh alone takes 102 % of a bank's time"));
    });
}

TEST_CASE("a region that does not fit ends the run with its reason", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        b.set_reg(LEVEE_EDRAM_REGION_OFFSET(1), 2 * MiB - 256);
        b.set_reg(LEVEE_EDRAM_REGION_VECTOR_BYTES(1), 256);
        std::uint32_t two = 2;
        CHECK_THROWS_WITH(
            b.access(b.control, tlm::TLM_WRITE_COMMAND, LEVEE_EDRAM_REGION_VECTORS(1), &two, 4),
            Catch::Contains("kv: region 1 has 2 vectors of 256 bytes from offset 2096896"));
    });
}

TEST_CASE("bits fail when they are read, but not for a debugger", "[module]")
{
    edram::Config config = kv_config(all(0));
    config.array.retention.emplace();
    config.array.retention->curve = shipped_curve();
    config.array.retention->time_scale = 100'000; // 1 us of simulated time counts as 100 ms of age
    simulate(config, [](Bench& b) {
        std::vector<RowFailure> log;
        b.memory.observe_failures([&](const RowFailure& row, unsigned) { log.push_back(row); });
        b.fill(0, MiB, 0xFF);
        wait_until(72'000); // At the time scale of the cells this is 7.2 ms.
        std::vector<std::uint8_t> seen(64);
        tlm::tlm_generic_payload peek;
        peek.set_read();
        peek.set_address(0);
        peek.set_data_ptr(seen.data());
        peek.set_data_length(64);
        CHECK(b.socket->transport_dbg(peek) == 64);
        CHECK(seen == std::vector<std::uint8_t>(64, 0xFF));
        CHECK(log.empty());
        std::vector<std::uint8_t> data(MiB);
        REQUIRE(b.bulk.read({0, MiB, {1, 1, 1}, {0, 0, 0}, false}, data.data()));
        double zeros = 0;
        for (const std::uint8_t byte : data)
            zeros += 8 - std::popcount(byte);
        CHECK(poisson(zeros, 8.0 * MiB * 4.3836e-3));
        CHECK(zeros == b.figures().at("flipped_bits"));
        CHECK(log.front().age_after == 7200 * us);
        CHECK(b.figures().at("age.high_msb.oldest_s") == Approx(7.2e-3));
        CHECK(b.figures().at("age.high_msb.below_8192us") == MiB / 32 / 8);
        // With this scale, seconds can be simulated. Scales that make times exceed 64 bits are
        // refused.
        wait_until(5'000'000'000'000);
        CHECK_NOTHROW(b.fill(0, 64));
        wait_until(50'000'000'000'000);
        std::uint64_t word = 0;
        CHECK_THROWS_WITH(b.access(b.socket, tlm::TLM_WRITE_COMMAND, 0, &word, 8),
                          Catch::Contains("time_scale of 100000"));
    });
}

TEST_CASE("lifetimes are reported when data are discarded", "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        std::vector<Lifetime> lifetimes;
        b.memory.observe_lifetimes([&](const Lifetime& life) { lifetimes.push_back(life); });
        b.fill(1024, 256);
        wait_until(10 * us);
        b.fill(1280, 100);
        wait_until(25 * us);
        REQUIRE(b.bulk.discard({1024, 512, {1, 1, 1}, {0, 0, 0}, false}));
        REQUIRE(lifetimes.size() == 2);
        CHECK(lifetimes[0].offset == 1024);
        CHECK(lifetimes[0].bytes == 256);
        CHECK(lifetimes[0].written == 0);
        CHECK(lifetimes[0].discarded == 25 * us);
        CHECK(lifetimes[1].offset == 1280);
        CHECK(lifetimes[1].bytes == 100);
        CHECK(lifetimes[1].written == 10 * us);
    });
}
