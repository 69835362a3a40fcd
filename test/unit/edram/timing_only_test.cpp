// SPDX-License-Identifier: Apache-2.0
// Tests accesses of timing-only runs, which carry no bytes and may bypass the bus.
#include "test/unit/edram/curve.hpp"
#include "test/unit/edram/module_bench.hpp"

using namespace levee;
using namespace levee::edram_test;

namespace {

/// Writes rows, lets them age, reads and discards them, through the bus or without it.
class Rounds {
public:
    explicit Rounds(Bench& bench) : b_(bench)
    {
        Picoseconds latency = 0;
        std::vector<FlowUse> uses;
        REQUIRE(b_.bulk.open(Direction::Write, rows, rows.bytes(), uses, latency));
        CHECK(b_.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
        const BulkExtension::Region region = b_.bulk.region(rows.address);
        REQUIRE(region.tracker != nullptr);
        CHECK_FALSE(region.ignores_reads);
        tracker_ = region.tracker;
    }

    /// Returns how the figures increase in a round. Null pointers mean an access without data.
    auto round(const std::uint8_t* in, std::uint8_t* out, bool past_the_bus)
    {
        const auto before = b_.figures();
        move(Direction::Write, in, out, past_the_bus);
        // Each run crosses from one line to the next.
        CHECK(b_.reg(LEVEE_EDRAM_VALID_ROWS) == 2 * 2 * 16);
        wait_until(now_ps() + 10 * ms);
        move(Direction::Read, in, out, past_the_bus);
        REQUIRE(b_.bulk.discard(rows));
        CHECK(b_.reg(LEVEE_EDRAM_VALID_ROWS) == 0);
        auto after = b_.figures();
        for (auto& [name, value] : after)
            value -= before.contains(name) ? before.at(name) : 0.0;
        return after;
    }

    const AccessPattern rows{64, 256, {2, 8, 1}, {2 * MiB, 4096, 0}, false};

private:
    void move(Direction direction, const std::uint8_t* in, std::uint8_t* out, bool past_the_bus)
    {
        if (past_the_bus)
            tracker_->accessed(direction, rows);
        else
            REQUIRE(
                (direction == Direction::Read ? b_.bulk.read(rows, out) : b_.bulk.write(rows, in)));
    }

    Bench& b_;
    AccessTracker* tracker_ = nullptr;
};

} // namespace

TEST_CASE("accesses without data count, age and fail like those with data", "[module]")
{
    edram::Config config = kv_config(all(0)); // The array is never refreshed.
    config.array.retention.emplace();
    config.array.retention->curve = shipped_curve();
    simulate(config, [](Bench& b) {
        Rounds rounds(b);
        std::vector<std::uint8_t> data(rounds.rows.bytes(), 0x5A), back(data.size());
        const auto with = rounds.round(data.data(), back.data(), false);
        CHECK(with.at("flipped_bits") > 0);
        CHECK(back != data);
        for (const bool directly : {false, true}) {
            auto without = rounds.round(nullptr, nullptr, directly);
            without["age.high_msb.oldest_s"] =
                with.at("age.high_msb.oldest_s"); // The oldest age is a maximum over all rounds.
            without["age.high_lsb.oldest_s"] = with.at("age.high_lsb.oldest_s");
            CHECK(without.size() == with.size());
            for (const auto& [name, value] : with) { // Sums of seconds differ by rounding errors.
                INFO(name << (directly ? ", past the bus" : ""));
                CHECK(without[name] == Approx(value).epsilon(1e-12));
            }
        }
    });
}

TEST_CASE("data and scores are separate regions, and reads count if bits can fail", "[module]")
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
