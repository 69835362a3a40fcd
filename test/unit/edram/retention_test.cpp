// SPDX-License-Identifier: Apache-2.0
#include "test/unit/edram/curve.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <set>

using namespace levee;
using namespace levee::edram_test;

namespace {

constexpr CellSeed seed{42, 7};
const std::uint64_t cells = 8 * MiB; // number of cells in a MiB

/// An array with one side of 1 MiB, never refreshed unless stated otherwise.
ArrayConfig array_of(const RetentionConfig& retention, GroupTimes intervals = all(0))
{
    return {{Layout::Plain, MiB, 32}, {intervals, 4'000}, retention};
}

RetentionConfig kelle(Failures failures = Failures::PerCell)
{
    RetentionConfig retention;
    retention.curve = shipped_curve();
    retention.failures = failures;
    return retention;
}

/// A curve with the constant failure probability `probability` from 1 us on.
RetentionConfig constant(double probability, Failures failures)
{
    RetentionConfig retention;
    retention.curve = {{us, probability}};
    retention.failures = failures;
    return retention;
}

std::uint64_t splitmix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

} // namespace

TEST_CASE("the shipped curve fails as stated at the four intervals", "[retention]")
{
    const RetentionCurve curve(shipped_curve());
    CHECK(curve.probability(45 * us) == Approx(1e-6).epsilon(1e-3));
    CHECK(curve.probability(360 * us) == Approx(5.2e-5).epsilon(0.01));
    CHECK(curve.probability(1440 * us) == Approx(4.9e-4).epsilon(0.01));
    CHECK(curve.probability(5400 * us) == Approx(3.1e-3).epsilon(0.02));
    CHECK(curve.probability(7200 * us) == Approx(4.4e-3).epsilon(0.01));
    double mean = 0;
    for (const Time interval : two_dimensional)
        mean += curve.probability(interval) / 4;
    CHECK(mean == Approx(2e-3).epsilon(0.01));
    // Between the curve's points, failures follow the lognormal distribution within the table's
    // precision.
    for (Time age = 10 * us; age < 50 * ms; age = age * 107 / 100) {
        const double x = (std::log(static_cast<double>(age) / (45.0 * us))) / 2.38 - 4.7534;
        CHECK(curve.probability(age) == Approx(0.5 * std::erfc(-x / std::sqrt(2.0))).epsilon(0.03));
    }
}

TEST_CASE("a curve is linear in the logarithm of age", "[retention]")
{
    const RetentionCurve curve({{us, 0.1}, {100 * us, 0.3}, {200 * us, 0.3}});
    CHECK(curve.probability(us - 1) == 0.0);
    CHECK(curve.probability(us) == 0.1);
    CHECK(curve.probability(10 * us) == Approx(0.2).epsilon(1e-12));
    CHECK(curve.probability(150 * us) == 0.3);
    CHECK(curve.probability(never) == 0.3);
    CHECK_THROWS_AS(RetentionCurve({}), std::invalid_argument);
    CHECK_THROWS_AS(RetentionCurve({{us, 0.2}, {us, 0.3}}), std::invalid_argument);
    CHECK_THROWS_AS(RetentionCurve({{us, 0.2}, {2 * us, 0.1}}), std::invalid_argument);
    CHECK_THROWS_AS(RetentionCurve({{us, 1.2}}), std::invalid_argument);
}

TEST_CASE("bits flip at the rate of the curve at the refresh interval", "[retention]")
{
    const Failures failures = GENERATE(Failures::PerCell, Failures::Iid);
    const RetentionCurve curve(shipped_curve());
    for (const Time interval : {45 * us, 360 * us, 1440 * us, 5400 * us, 7200 * us}) {
        Stored memory(array_of(kelle(failures), all(interval)), seed);
        memory.write(0, MiB, 0, 0x5A);
        // The rows have just been refreshed, so their age is zero. Bits that have flipped did so
        // during the whole interval before this refresh.
        const auto wrong = memory.wrong(0, MiB, interval, 0x5A);
        CHECK(poisson(static_cast<double>(wrong),
                      static_cast<double>(cells) * curve.probability(interval)));
        CHECK(wrong == memory.array.flipped_bits());
    }
}

TEST_CASE("the four groups together flip 2e-3 of their bits", "[retention]")
{
    Stored memory(array_of(kelle(), two_dimensional), seed);
    memory.array.set_region(0, {0, 256, 0, MiB / 256}, 0);
    const std::vector<std::uint8_t> high(MiB / 512, 0x80);
    memory.array.write_scores(0, high.data(), high.size(), 0);
    memory.write(0, MiB, 0);
    const auto wrong = static_cast<double>(memory.wrong(0, MiB, 7200 * us));
    const RetentionCurve curve(shipped_curve());
    double mean = 0;
    for (const Time interval : two_dimensional)
        mean += curve.probability(interval) / 4;
    CHECK(poisson(wrong, static_cast<double>(cells) * mean));
    CHECK(wrong / static_cast<double>(cells) == Approx(2e-3).epsilon(0.04));
}

TEST_CASE("a cell's flip is the stated function of seed, cell and age", "[retention]")
{
    constexpr Time age = 7200 * us;
    Stored memory(array_of(kelle()), seed);
    memory.write(0, MiB, 0);
    memory.array.read(0, MiB, age);
    // README.md: strength = mix(mix(mix(seed:memory + g)) + (cell + 1) g), 64 bits of fraction.
    constexpr std::uint64_t g = 0x9E3779B97F4A7C15u;
    const std::uint64_t key =
        splitmix(splitmix((std::uint64_t{seed.seed} << 32 | seed.memory) + g));
    const double probability = RetentionCurve(shipped_curve()).probability(age);
    std::uint64_t flips = 0;
    for (std::uint64_t address = 0; address < MiB; ++address)
        for (unsigned bit = 0; bit < 8; ++bit) {
            // Cells are numbered unit by unit: first bits 15:8, element by element, then bits 7:0.
            const std::uint64_t cell =
                address / 32 * 256 + (address % 2 == 1 ? 0 : 128) + address % 32 / 2 * 8 + bit;
            const std::uint64_t strength = splitmix(key + (cell + 1) * g);
            const bool fails = std::ldexp(static_cast<double>(strength), -64) < probability;
            flips += fails;
            if (fails != ((memory.bytes[address] >> bit & 1) != 0)) {
                CAPTURE(address, bit);
                FAIL("another bit than stated");
            }
        }
    CHECK(flips > 30'000);
}

TEST_CASE("weak cells fail again, but a flipped bit does not flip back", "[retention]")
{
    Stored memory(array_of(kelle(), all(7200 * us)), seed);
    memory.write(0, MiB, 0);
    const auto first = memory.wrong(0, MiB, 10 * ms);
    CHECK(first > 30'000);
    const std::vector<std::uint8_t> bits = memory.bytes;
    CHECK(memory.wrong(0, MiB, 100 * ms) == first); // Many more intervals pass, but none is longer.
    CHECK(memory.bytes == bits);
    memory.write(0, MiB, 100 * ms);
    CHECK(memory.wrong(0, MiB, 115 * ms) == first);
    CHECK(memory.bytes == bits); // The same cells fail again.
    Stored other(array_of(kelle(), all(7200 * us)), {43, 7});
    other.write(0, MiB, 0);
    (void)other.wrong(0, MiB, 10 * ms);
    CHECK(other.bytes != bits); // A different seed makes different cells fail.
}

TEST_CASE("iid: one draw per interval, and a flipped bit is not drawn again", "[retention]")
{
    constexpr double p = 0.01;
    Stored memory(array_of(constant(p, Failures::Iid), all(100 * us)), seed);
    memory.write(0, MiB, 0);
    // Reads follow each of 20 refreshes. If failures were drawn again, some bits would flip back.
    std::uint64_t before = 0;
    for (int n = 1; n <= 20; ++n) {
        const auto wrong = memory.wrong(0, MiB, static_cast<Time>(n) * 100 * us);
        const double expected = static_cast<double>(cells) * (1.0 - std::pow(1.0 - p, n));
        CHECK(poisson(static_cast<double>(wrong), expected));
        CHECK(wrong > before);
        before = wrong;
    }
    // The same time passes, but in a single step.
    Stored at_once(array_of(constant(p, Failures::Iid), all(100 * us)), seed);
    at_once.write(0, MiB, 0);
    CHECK(at_once.wrong(0, MiB, 2000 * us) == before);
    CHECK(at_once.bytes == memory.bytes);
    // A second read within an interval draws no new failures.
    const auto young = memory.wrong(0, MiB, 2050 * us);
    CHECK(poisson(static_cast<double>(young),
                  static_cast<double>(cells) * (1.0 - std::pow(1.0 - p, 21))));
    CHECK(memory.wrong(0, MiB, 2060 * us) == young);
    CHECK(memory.wrong(0, MiB, 2100 * us) == young);
    // New data fail in other places.
    const std::vector<std::uint8_t> bits = memory.bytes;
    memory.write(0, MiB, 2500 * us);
    (void)memory.wrong(0, MiB, 4500 * us);
    CHECK(memory.bytes != bits);
}

TEST_CASE("reads restore rows if the configuration says so", "[retention]")
{
    RetentionConfig retention = kelle();
    retention.read_restores = GENERATE(false, true);
    Stored memory(array_of(retention), seed);
    memory.write(0, MiB, 0);
    Time now = 0;
    for (int i = 0; i < 100; ++i) // No gap exceeds 45 us; their sum is 4.5 ms.
        (void)memory.wrong(0, MiB, now += 45 * us);
    const RetentionCurve curve(shipped_curve());
    const Time worst = retention.read_restores ? 45 * us : now;
    CHECK(poisson(static_cast<double>(memory.wrong(0, MiB, now)),
                  static_cast<double>(cells) * curve.probability(worst)));
    CHECK(memory.array.ages().oldest[0] == worst);
}

TEST_CASE("age restarts at the last write and refresh", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}}; // All cells fail at 100 us.
    Stored memory(array_of(retention, all(0)), seed);
    memory.write(0, 64, 0, 0x33);
    memory.write(256, 64, 0, 0x33); // Writes another row in each half.
    CHECK(memory.wrong(0, 64, 100 * us - 1, 0x33) == 0);
    memory.write(0, 32, 100 * us - 1, 0x33); // The write also restores the other bytes of its rows.
    CHECK(memory.wrong(0, 64, 150 * us, 0x33) == 0);
    CHECK(memory.wrong(256, 64, 150 * us, 0x33) == 512);
    CHECK(memory.wrong(0, 64, 200 * us, 0x33) == 512);

    Stored refreshed(array_of(retention, all(90 * us)), seed);
    refreshed.write(0, 32, 89 * us, 0x33); // Refreshes come at 90, 180, ... us.
    CHECK(refreshed.wrong(0, 32, 10 * ms, 0x33) == 0);
}

TEST_CASE("writing a part of a row leaves the other bits failed", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}};
    Stored memory(array_of(retention), seed);
    memory.write(0, 32, 0);
    // A write to a part of a row reads the failed bytes of the rest and writes them back.
    memory.write(4, 8, 200 * us);
    CHECK(memory.wrong(0, 32, 200 * us) == 24 * 8);
    // The row is young, so no other bit fails; earlier failures stay.
    memory.write(12, 4, 250 * us);
    CHECK(memory.wrong(0, 32, 250 * us) == 20 * 8);
    CHECK(memory.wrong(0, 32, 350 * us) == 256); // These bytes fail, and no other bit flips back.
    memory.write(0, 32, 400 * us);
    CHECK(memory.wrong(0, 32, 450 * us) == 0);
    CHECK(memory.wrong(0, 32, 550 * us) == 256);
}

TEST_CASE("writing a vector leaves the other vectors of its row as they failed", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}};
    retention.failures = GENERATE(Failures::PerCell, Failures::Iid);
    Stored memory(array_of(retention), seed);
    memory.write(0, 256, 0, 0x33);
    memory.write(96, 32, 200 * us, 0x33);
    // The write read the other vectors too late and wrote them back with errors.
    CHECK(memory.wrong(0, 256, 250 * us, 0x33) == 7 * 256);
    CHECK(memory.wrong(96, 32, 250 * us, 0x33) == 0);
    memory.write(0, 32, 290 * us, 0x33);
    CHECK(memory.wrong(96, 32, 310 * us, 0x33) == 0); // The write at 290 us has restored this row.
    CHECK(memory.wrong(0, 256, 400 * us, 0x33) == 8 * 256);
    memory.array.discard(0, 128, 400 * us); // Failures in discarded data do not count.
    memory.write(128, 32, 500 * us, 0x33);
    CHECK(memory.wrong(128, 128, 500 * us, 0x33) == 3 * 256);
}

TEST_CASE("only the listed groups fail", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}};
    retention.groups = 1u << LEVEE_EDRAM_LOW_LSB;
    Stored memory(array_of(retention), seed);
    memory.array.set_region(0, {0, 256, 0, 2}, 0); // Both tokens have low scores.
    const std::uint8_t high = 0x80;
    memory.array.write_scores(0, &high, 1, 0);
    memory.write(0, 768, 0);
    CHECK(memory.wrong(0, 768, ms) == 1024);
    for (std::size_t i = 256; i < 512; i += 2)
        CHECK(int(memory.bytes[i]) == 0xFF);
}

TEST_CASE("failures from the time in an old group remain after a change of group", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}};
    Stored memory(array_of(retention, {50 * us, 50 * us, 150 * us, 150 * us}), seed);
    memory.array.set_region(0, {0, 32, 0, 1}, 0);
    memory.write(0, 32, 0);
    const std::uint8_t high = 0x80;
    memory.array.write_scores(0, &high, 1, 160 * us); // The row was refreshed too late, at 150 us.
    CHECK(memory.wrong(0, 32, 170 * us) == 256);
    memory.write(0, 32, 170 * us);
    CHECK(memory.wrong(0, 32, 10 * ms) == 0);
}

TEST_CASE("replaying the log gives the same bits", "[retention]")
{
    const Failures failures = GENERATE(Failures::PerCell, Failures::Iid);
    Stored memory(array_of(kelle(failures), two_dimensional), seed);
    std::vector<RowFailure> log;
    std::uint64_t flips = 0;
    memory.array.observe_failures([&](const RowFailure& row, unsigned flipped) {
        log.push_back(row);
        flips += flipped;
    });
    memory.write(0, MiB, 0);
    std::vector<std::uint8_t> replayed(MiB, 0);
    const RetentionCurve curve(shipped_curve());
    std::uint64_t applied = 0;
    for (const Time now : {100 * us, 900 * us, 3 * ms, 9 * ms, 40 * ms}) {
        (void)memory.wrong(0, MiB, now);
        for (RowFailure row : log) {
            if (failures == Failures::PerCell) { // The ages in the log are enough.
                row.before = curve.share(row.age_before);
                row.after = curve.share(row.age_after);
            }
            applied += apply(row, seed, replayed.data() + row.offset);
        }
        log.clear();
        CHECK(std::memcmp(replayed.data(), memory.bytes.data(), MiB) == 0);
    }
    CHECK(applied == flips);
    CHECK(flips == memory.array.flipped_bits());
    CHECK(flips > 3'000);
}

TEST_CASE("ages stay within the intervals and are counted", "[retention]")
{
    Stored memory(array_of(kelle(), two_dimensional), seed);
    memory.write(0, 4096, 0);
    for (Time now = 0; now < 50 * ms; now += 70 * us)
        memory.array.read(0, 4096, now);
    const AgeCounts& ages = memory.array.ages();
    CHECK(ages.oldest[LEVEE_EDRAM_HIGH_MSB] <= 360 * us);
    CHECK(ages.oldest[LEVEE_EDRAM_HIGH_MSB] > 300 * us);
    CHECK(ages.oldest[LEVEE_EDRAM_HIGH_LSB] <= 5400 * us);
    CHECK(ages.oldest[LEVEE_EDRAM_HIGH_LSB] > 5300 * us);
    std::uint64_t rows = 0;
    for (const std::uint64_t count : ages.rows[LEVEE_EDRAM_HIGH_MSB])
        rows += count;
    CHECK(rows == 715 * 128 / 8);
    CHECK(ages.rows[LEVEE_EDRAM_HIGH_MSB][10] == 0); // This bin is for rows of 512 us and more.
}

TEST_CASE("discarded data do not fail after the discard", "[retention]")
{
    RetentionConfig retention;
    retention.curve = {{100 * us, 1.0}};
    Stored memory(array_of(retention), seed);
    memory.write(0, 64, 0, 1);
    memory.array.discard(0, 32, 50 * us);
    CHECK(memory.wrong(0, 64, ms, 1) == 256);
    CHECK(memory.array.refresh().valid_rows()[0] == 1);
}

TEST_CASE("rows in which nothing can fail are skipped without changing a bit", "[retention]")
{
    // Only a few cells of a mebibyte are weak enough to fail within 45 us. The intervals that
    // follow are longer.
    Stored often(array_of(kelle(), all(45 * us)), seed);
    Stored once(array_of(kelle(), all(45 * us)), seed);
    for (Stored* memory : {&often, &once})
        memory->write(0, MiB, 0);
    for (Time now = 10 * us; now < ms; now += 10 * us)
        often.array.read(0, MiB, now);
    const auto few = once.wrong(0, MiB, ms);
    CHECK(few == often.wrong(0, MiB, ms));
    CHECK(poisson(static_cast<double>(few), static_cast<double>(cells) * 1e-6));
    for (Stored* memory : {&often, &once})
        memory->array.set_interval(LEVEE_EDRAM_HIGH_MSB, 7200 * us, ms);
    CHECK(often.wrong(0, MiB, 20 * ms) == once.wrong(0, MiB, 20 * ms));
    CHECK(often.bytes == once.bytes);
    CHECK(poisson(static_cast<double>(once.array.flipped_bits() - few),
                  static_cast<double>(cells) / 2 * 4.3836e-3));
}
