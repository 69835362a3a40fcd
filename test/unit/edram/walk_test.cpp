// SPDX-License-Identifier: Apache-2.0
// Tests that the array gives the same figures as a plain version that goes line by line
// (plain_walk.hpp), bit for bit. The array itself accounts for many consecutive lines at once.
#include "test/unit/edram/plain_walk.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee;
using namespace levee::edram_test;

namespace {

class Pair {
public:
    Pair(const Geometry& geometry, const RefreshConfig& config, bool retention, unsigned seed)
        : memory({geometry, config, cells(retention)}), plain(geometry, config), random_(seed),
          geometry_(geometry)
    {
    }

    void step()
    {
        now += below(4) == 0 ? 0 : below(300 * us);
        switch (below(16)) {
        case 0:
            return set_interval();
        case 1:
            return set_region();
        case 2:
        case 3:
            return write_scores();
        default:
            return access();
        }
    }
    void compare()
    {
        const GroupCounts ahead = memory.array.refresh().refreshed(now);
        memory.array.settle(now);
        plain.settle(now);
        const Refresh& refresh = memory.array.refresh();
        REQUIRE(ahead == memory.array.refresh().refreshed());
        REQUIRE(refresh.refreshed() == plain.refreshed());
        REQUIRE(refresh.valid_rows() == plain.valid_rows());
        for (std::size_t pair = 0; pair < geometry_.banks / 2; ++pair)
            REQUIRE(refresh.load(pair) == plain.load(pair));
        REQUIRE(refresh.row_time() == plain.row_time());
        for (std::uint64_t line = 0; line < geometry_.lines(); ++line) {
            REQUIRE(memory.array.is_valid(line) == plain.is_valid(line));
            REQUIRE(memory.array.is_high(line) == plain.is_high(line));
            for (const Half half : halves) {
                const unsigned group = group_of(plain.is_high(line), half);
                if (plain.is_valid(line))
                    REQUIRE(refresh.due(line, half, group) == plain.due(line, half, group));
            }
        }
    }

    Stored memory;
    PlainWalk plain;
    Time now = 0;

private:
    static std::optional<RetentionConfig> cells(bool wanted)
    {
        if (!wanted)
            return std::nullopt;
        RetentionConfig retention;
        retention.curve = {{45 * us, 1e-6}, {7200 * us, 4.4e-3}};
        return retention;
    }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    /// Accesses whole units or arbitrary bytes, few or very many.
    void access()
    {
        const std::uint64_t grain = below(3) == 0 ? 1 : unit_bytes;
        const std::uint64_t size = geometry_.size_bytes;
        const std::uint64_t address = below(size / grain) * grain;
        const std::uint64_t most = below(3) == 0 ? size : 1024;
        const std::uint64_t bytes = std::min(size - address, (1 + below(most / grain)) * grain);
        if (below(2) == 0) {
            memory.array.write(address, bytes, now);
            plain.write(address, bytes, now);
        } else {
            memory.array.discard(address, bytes, now);
            plain.discard(address, bytes, now);
        }
    }
    void set_interval()
    {
        const Time choices[] = {0, 45 * us, 360 * us, 1440 * us, 5400 * us, 2'000'003};
        const auto group = static_cast<unsigned>(below(LEVEE_EDRAM_GROUPS));
        const Time interval = choices[below(std::size(choices))];
        memory.array.set_interval(group, interval, now);
        plain.set_interval(group, interval, now);
    }
    void set_region()
    {
        const std::uint64_t bytes[] = {8, 32, 48, 256};
        Region region{below(4) * 16, bytes[below(4)], below(8), 0};
        region.vectors = std::min((geometry_.side_bytes() - region.offset) / region.vector_bytes,
                                  Array::score_count(geometry_) - region.first_entry);
        memory.array.set_region(0, region, now);
        plain.set_region(region, now);
    }
    void write_scores()
    {
        const std::uint64_t entries = Array::score_count(geometry_);
        const std::uint64_t first = below(entries);
        std::vector<std::uint8_t> values(1 + below(std::min<std::uint64_t>(entries - first, 40)));
        for (std::uint8_t& value : values)
            value = below(3) == 0 ? LEVEE_SE_VIEW_HIGH : static_cast<std::uint8_t>(below(16));
        memory.array.write_scores(first, values.data(), values.size(), now);
        plain.write_scores(first, values, now);
    }
    std::mt19937_64 random_;
    Geometry geometry_;
};

} // namespace

TEST_CASE("counts by runs equal those of a walk over every line", "[edram]")
{
    const bool retention = GENERATE(false, true);
    const Geometry geometry =
        GENERATE(Geometry{Layout::Kv, 64 * 1024, 32}, Geometry{Layout::Plain, 24 * 1024, 24},
                 Geometry{Layout::Kv, 12 * 1024, 12, 16}, Geometry{Layout::Kv, 18 * 1024, 12, 96},
                 Geometry{Layout::Plain, 32 * 1024, 4, 2048});
    for (unsigned seed = 1; seed <= 4; ++seed) {
        Pair pair(geometry, {two_dimensional, 9'000}, retention, seed);
        for (int step = 0; step < 400; ++step) {
            pair.step();
            if (step % 20 == 0)
                pair.compare();
        }
        pair.compare();
        CHECK(pair.plain.refreshed()[0] > 0);
    }
}
