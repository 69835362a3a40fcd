// SPDX-License-Identifier: Apache-2.0
// Accesses of phantom runs: without bytes, and past the bus.
#include "test/unit/edram/curve.hpp"
#include "test/unit/edram/module_bench.hpp"

using namespace levee;
using namespace levee::edram_test;

TEST_CASE("accesses without data count, age and fail as those with data", "[module]")
{
    edram::Config config = kv_config(all(0)); // never refreshed
    config.array.retention.emplace();
    config.array.retention->curve = shipped_curve();
    simulate(config, [](Bench& b) {
        const AccessPattern rows{64, 256, {2, 8, 1}, {2 * MiB, 4096, 0}, false};
        Picoseconds latency = 0;
        std::vector<FlowUse> uses;
        REQUIRE(b.bulk.open(Direction::Write, rows, rows.bytes(), uses, latency));
        CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
        const BulkExtension::Region region = b.bulk.region(rows.address);
        REQUIRE(region.tracker != nullptr);
        CHECK_FALSE(region.ignores_reads);
        bool past_the_bus = false;
        const auto move = [&](Direction direction, const std::uint8_t* in, std::uint8_t* out) {
            if (past_the_bus)
                region.tracker->accessed(direction, rows);
            else
                REQUIRE((direction == Direction::Read ? b.bulk.read(rows, out)
                                                      : b.bulk.write(rows, in)));
        };
        const auto round = [&](const std::uint8_t* in, std::uint8_t* out) {
            const auto before = b.figures();
            move(Direction::Write, in, out);
            CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 2 * 2 * 16); // each run is in two lines
            wait_until(now_ps() + 10 * ms);
            move(Direction::Read, in, out);
            REQUIRE(b.bulk.discard(rows));
            CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
            auto after = b.figures();
            for (auto& [name, value] : after)
                value -= before.contains(name) ? before.at(name) : 0.0;
            return after;
        };
        std::vector<std::uint8_t> data(rows.bytes(), 0x5A), back(rows.bytes());
        const auto with = round(data.data(), back.data());
        CHECK(with.at("flipped_bits") > 0);
        CHECK(back != data);
        for (const bool directly : {false, true}) {
            past_the_bus = directly;
            auto without = round(nullptr, nullptr);
            without["age.high_msb.oldest_s"] = with.at("age.high_msb.oldest_s"); // of all rounds
            without["age.high_lsb.oldest_s"] = with.at("age.high_lsb.oldest_s");
            CHECK(without.size() == with.size());
            for (const auto& [name, value] : with) { // differences of sums of seconds are rounded
                INFO(name << (directly ? ", past the bus" : ""));
                CHECK(without[name] == Approx(value).epsilon(1e-12));
            }
        }
    });
}

TEST_CASE("data and scores are regions of their own, and reads count where bits can fail",
          "[module]")
{
    simulate(kv_config(all(45 * us)), [](Bench& b) {
        const auto data = b.bulk.region(4 * MiB - 1), scores = b.bulk.region(4 * MiB);
        CHECK(data.first == 0);
        CHECK(data.last == 4 * MiB - 1);
        CHECK(scores.first == 4 * MiB);
        for (const auto& region : {data, scores}) {
            CHECK(region.tracked);
            CHECK(region.ignores_reads);
            CHECK(region.tracked_first == region.first);
        }
        scores.tracker->accessed(Direction::Write, {scores.first, 64});
        CHECK(b.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
    });
}
