// SPDX-License-Identifier: Apache-2.0
#include "core/numerics/numerics.hpp"
#include "ip/dma/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <cstring>
#include <functional>
#include <vector>

namespace {

using namespace levee;
using namespace levee::test;

struct System : Bench {
    dma::Dma dma{"dma", {Clock{1'000'000'000}, 16, queue_config}, fabric};
    System() : Bench("bench") { connect(dma.queue); }

    /// Returns the bytes that the engine has counted, and the bytes that the memory has read and
    /// written.
    std::vector<std::uint64_t> bytes_moved()
    {
        return {figure(dma, "moved_bytes"), figure(memory, "read_bytes"),
                figure(memory, "write_bytes")};
    }
};

std::uint64_t run_at(std::uint64_t base, const std::int64_t (&stride)[3], std::uint32_t i,
                     std::uint32_t j, std::uint32_t k)
{
    return base + static_cast<std::uint64_t>(stride[0] * i + stride[1] * j + stride[2] * k);
}

constexpr std::uint64_t region = 1 << 18;

using Draw = std::function<std::uint32_t(std::uint32_t below)>;

/// Returns a generator of random numbers below given bounds; `stream` selects the sequence.
Draw draws(std::uint32_t seed, std::uint32_t stream)
{
    return [seed, stream, drawn = std::uint64_t{0}](std::uint32_t below) mutable {
        return random_word(seed, stream, drawn++) % below;
    };
}

/// Fills the source region with random bytes and the destination region with 0xA5.
void fill_regions(System& system, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
                  std::uint32_t seed, std::uint32_t stream)
{
    for (std::size_t i = 0; i < bytes; ++i) {
        system.at(from)[i] = static_cast<std::uint8_t>(random_word(seed, stream, i));
        system.at(to)[i] = 0xA5;
    }
}

/// Returns a random loop nest from one region to another, whose writes do not overlap.
levee_dma_operation random_loops(std::uint64_t from, std::uint64_t to, const Draw& draw)
{
    levee_dma_operation copy{};
    copy.run_bytes = 1 + draw(40);
    std::int64_t destination_stride = copy.run_bytes + draw(3);
    std::int64_t source_stride = draw(2 * copy.run_bytes); // Runs of the source may overlap.
    for (int level = 2; level >= 0; --level) {
        copy.count[level] = 1 + draw(7);
        copy.destination_stride[level] = destination_stride;
        copy.source_stride[level] = draw(2) == 0 ? source_stride : -source_stride;
        destination_stride = destination_stride * copy.count[level] + draw(5);
        source_stride += draw(300);
    }
    copy.source = from + region / 2;
    copy.destination = to + (1 << 12);
    if (draw(2) == 0) { // The outermost loop runs downwards.
        copy.destination += copy.destination_stride[0] * (copy.count[0] - 1);
        copy.destination_stride[0] = -copy.destination_stride[0];
    }
    return copy;
}

/// Calls visit(i, j, k) for each run of the loop nest.
template <typename Visit> void for_each_run(const levee_dma_operation& copy, Visit visit)
{
    for (std::uint32_t i = 0; i < copy.count[0]; ++i)
        for (std::uint32_t j = 0; j < copy.count[1]; ++j)
            for (std::uint32_t k = 0; k < copy.count[2]; ++k)
                visit(i, j, k);
}

} // namespace

TEST_CASE("copies and fills equal a naive copy byte for byte, and change nothing else")
{
    System system;
    system.run([&] {
        const std::uint64_t from = system.take(region), to = system.take(region);
        for (std::uint32_t seed = 0; seed < 200; ++seed) {
            const Draw draw = draws(seed, 1);
            fill_regions(system, from, to, region, seed, 2);
            levee_dma_operation copy = random_loops(from, to, draw);
            copy.fill = static_cast<std::uint8_t>(seed);
            const bool is_fill = draw(4) == 0;

            std::vector<std::uint8_t> expected = system.get<std::uint8_t>(to, region);
            for_each_run(copy, [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
                const std::uint64_t at =
                    run_at(copy.destination, copy.destination_stride, i, j, k) - to;
                const std::uint64_t source = run_at(copy.source, copy.source_stride, i, j, k);
                for (std::uint32_t b = 0; b < copy.run_bytes; ++b)
                    expected[at + b] = is_fill ? copy.fill : *system.at(source + b);
            });
            const std::uint64_t mark = system.mark();
            INFO("seed " << seed);
            CHECK(system.execute(0, describe(is_fill ? LEVEE_DMA_FILL : LEVEE_DMA_COPY, copy)) ==
                  LEVEE_ERROR_NONE);
            CHECK(system.get<std::uint8_t>(to, region) == expected);
            system.release(mark);
        }
    });
}

TEST_CASE("a copy takes its latency, then its bytes at the slowest rate of engine, link and memory")
{
    System system;
    system.run([&] {
        levee_dma_operation copy{};
        copy.source = system.take(1 << 16);
        copy.destination = system.take(1 << 16);
        copy.count[0] = copy.count[1] = copy.count[2] = 1;
        copy.run_bytes = 1 << 16;
        levee_descriptor descriptor = describe(LEVEE_DMA_COPY, copy);
        descriptor.signal_counter[0] = 3;
        descriptor.signal_add[0] = 1;
        const auto duration = [&](std::uint8_t opcode) {
            descriptor.opcode = opcode;
            const std::uint32_t before = system.sync.value(3);
            system.submit(0, {descriptor});
            // The doorbell rang before its write returned.
            const Picoseconds begun = now_ps() - hop;
            while (system.sync.value(3) == before)
                sc_core::wait(system.sync.changed(3));
            return now_ps() - begun;
        };
        // The memory reads and writes each byte, at 31.25 ps each, so 62.5 ps in all. The engine
        // needs 62.5 ps and the link 31.25 ps per byte, so neither is slower.
        CHECK(duration(LEVEE_DMA_COPY) ==
              fetch + hop + memory_latency + 2 * 31'250u * 65'536 / 1000);
        // A fill only writes, so the engine is the slowest part, at 62.5 ps a byte.
        CHECK(duration(LEVEE_DMA_FILL) ==
              fetch + hop + memory_latency + 62'500u * 65'536ull / 1000);
    });
}

namespace {

constexpr std::uint32_t table_rows = 8; // Number of rows that a word of k's table may select.

/// A random copy between two regions, with index tables on one side or both.
struct TableCopy {
    levee_dma_operation copy{};
    std::vector<std::uint32_t> sources, destinations;
    unsigned sides; ///< sides with a table: 1: source, 2: destination, 3: both

    TableCopy(System& system, std::uint64_t from, std::uint64_t to, const Draw& draw)
    {
        copy.source = from;
        copy.destination = to;
        copy.run_bytes = 1 + draw(40);
        for (std::uint32_t& count : copy.count)
            count = 1 + draw(5);
        copy.source_stride[2] = copy.destination_stride[2] = copy.run_bytes + draw(4);
        for (auto* const stride : {copy.source_stride, copy.destination_stride}) {
            stride[1] = table_rows * stride[2];
            stride[0] = copy.count[1] * stride[1];
        }
        sources = table(false, draw);
        destinations = table(true, draw);
        sides = 1 + draw(3);
        if (sides & 1u)
            place(system, copy.source_index, copy.source_index_stride, sources);
        if (sides & 2u)
            place(system, copy.destination_index, copy.destination_index_stride, destinations);
    }

    /// Makes the same copy within `expected`, whose bytes begin at `to`. Returns the number of
    /// bytes moved.
    std::uint64_t evaluate(System& system, std::uint64_t to, std::vector<std::uint8_t>& expected)
    {
        std::uint64_t moved = 0;
        std::size_t run = 0;
        for_each_run(copy, [&](std::uint32_t i, std::uint32_t j, std::uint32_t k) {
            const std::uint32_t source = sides & 1u ? sources[run] : k;
            const std::uint32_t destination = sides & 2u ? destinations[run] : k;
            ++run;
            if (source == LEVEE_DMA_SKIP || destination == LEVEE_DMA_SKIP)
                return;
            moved += copy.run_bytes;
            std::memcpy(
                &expected[run_at(copy.destination, copy.destination_stride, i, j, destination) -
                          to],
                system.at(run_at(copy.source, copy.source_stride, i, j, source)), copy.run_bytes);
        });
        return moved;
    }

private:
    std::vector<std::uint32_t> table(bool permuted, const Draw& draw) const
    {
        std::vector<std::uint32_t> words;
        for (std::uint32_t i = 0; i < copy.count[0] * copy.count[1]; ++i) {
            const std::uint32_t turn = draw(table_rows);
            for (std::uint32_t k = 0; k < copy.count[2]; ++k)
                words.push_back(draw(3) == 0 ? LEVEE_DMA_SKIP
                                : permuted   ? (turn + 3 * k) % table_rows // This table selects
                                                                           // each row at most once.
                                           : draw(table_rows));
        }
        return words;
    }
    void place(System& system, std::uint64_t& at, std::int32_t (&stride)[3],
               const std::vector<std::uint32_t>& words) const
    {
        at = system.put(words);
        stride[2] = 4;
        stride[1] = static_cast<std::int32_t>(4 * copy.count[2]);
        stride[0] = static_cast<std::int32_t>(4 * copy.count[2] * copy.count[1]);
    }
};

} // namespace

TEST_CASE("index tables place or skip runs on either side, and only placed runs move bytes")
{
    System system;
    system.run([&] {
        constexpr std::uint64_t bytes = 1 << 16;
        const std::uint64_t from = system.take(bytes), to = system.take(bytes);
        const std::uint64_t mark = system.mark();
        for (std::uint32_t seed = 0; seed < 300; ++seed) {
            system.release(mark);
            const Draw draw = draws(seed, 3);
            fill_regions(system, from, to, bytes, seed, 4);
            TableCopy tables(system, from, to, draw);
            std::vector<std::uint8_t> expected = system.get<std::uint8_t>(to, bytes);
            const std::uint64_t moved = tables.evaluate(system, to, expected);
            levee_descriptor descriptor = describe(LEVEE_DMA_COPY, tables.copy);
            descriptor.signal_counter[0] = 1;
            descriptor.signal_every[0] = 1 + draw(2);
            const auto at = system.put(std::vector<levee_descriptor>{descriptor});
            const auto before = system.bytes_moved();
            INFO("seed " << seed);
            system.submit_at(0, at, 1);
            CHECK(system.settle(0));
            CHECK(system.reg(0, LEVEE_CMD_ERROR_CODE) == LEVEE_ERROR_NONE);
            CHECK(system.get<std::uint8_t>(to, bytes) == expected);
            const auto after = system.bytes_moved();
            for (std::size_t figure = 0; figure < before.size(); ++figure)
                CHECK(after[figure] - before[figure] == moved);
        }
    });
}

TEST_CASE("runs that a table skips take no time")
{
    System system;
    system.run([&] {
        constexpr std::uint32_t runs = 64, run_bytes = 1024;
        levee_dma_operation copy{};
        copy.source = system.take(runs * run_bytes);
        copy.destination = system.take(runs * run_bytes);
        copy.count[0] = copy.count[1] = 1;
        copy.count[2] = runs;
        copy.run_bytes = run_bytes;
        copy.source_stride[2] = copy.destination_stride[2] = run_bytes;
        std::vector<std::uint32_t> words(runs, LEVEE_DMA_SKIP);
        copy.source_index_stride[2] = 4;
        const auto duration = [&] {
            copy.source_index = system.put(words);
            levee_descriptor descriptor = describe(LEVEE_DMA_COPY, copy);
            descriptor.signal_counter[0] = 3;
            descriptor.signal_add[0] = 1;
            const std::uint32_t before = system.sync.value(3);
            system.submit(0, {descriptor});
            const Picoseconds begun = now_ps() - hop;
            while (system.sync.value(3) == before)
                sc_core::wait(system.sync.changed(3));
            return now_ps() - begun;
        };
        CHECK(duration() == fetch);
        words[5] = 7;
        words[40] = 0;
        // Each byte passes the memory twice, at 31.25 ps.
        CHECK(duration() == fetch + hop + memory_latency + 2 * 2 * 31'250u * run_bytes / 1000);
    });
}

namespace {

/// A valid copy by table. The tests change one member at a time.
struct Refusals {
    System& system;
    std::uint64_t table;
    levee_dma_operation good{};

    explicit Refusals(System& machine)
        : system(machine), table(machine.put<std::uint32_t>({0, 1, 0x4000'0000, 0}))
    {
        good.count[0] = good.count[1] = 1;
        good.count[2] = 2;
        good.run_bytes = 64;
        good.source = system.take(128);
        good.destination = system.take(128);
        good.source_stride[2] = good.destination_stride[2] = 64;
        good.destination_index = table;
        good.destination_index_stride[2] = 4;
    }
    template <typename Spoil>
    void refused(std::uint8_t opcode, levee_command_error code, std::size_t member, Spoil spoil)
    {
        levee_dma_operation bad = good;
        spoil(bad);
        INFO("member " << member);
        CHECK(system.execute(0, describe(opcode, bad)) == code);
        CHECK(system.reg(0, LEVEE_CMD_ERROR_FIELD) == operation_field(member));
        system.set_reg(0, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    }
};

} // namespace

TEST_CASE("invalid tables are refused with their field")
{
    System system;
    system.run([&] {
        Refusals refusals(system);
        using Op = levee_dma_operation;
        const std::uint64_t table = refusals.table;
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_ADDRESS, offsetof(Op, destination_index),
                         [](Op& o) { o.destination_index += 2; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_ADDRESS, offsetof(Op, destination_index),
                         [](Op& o) { o.destination_index = 16; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_ADDRESS,
                         offsetof(Op, destination_index_stride) + 4,
                         [](Op& o) { o.destination_index_stride[1] = 6; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_ADDRESS, offsetof(Op, destination),
                         [&](Op& o) { o.destination_index = table + 4; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_ADDRESS, offsetof(Op, source), [&](Op& o) {
            o.source_index = table + 4;
            o.source_index_stride[2] = 4;
        });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_FIELD, offsetof(Op, destination), [&](Op& o) {
            o.destination_index_stride[2] = 0;
        }); // Both runs go to the same place.
        refusals.refused(LEVEE_DMA_FILL, LEVEE_ERROR_FIELD, offsetof(Op, source_index),
                         [&](Op& o) { o.source_index = table; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_FIELD, offsetof(Op, count) + 4,
                         [](Op& o) { o.count[1] = (1 << 20) + 1; });
        refusals.refused(LEVEE_DMA_COPY, LEVEE_ERROR_FIELD, offsetof(Op, run_bytes),
                         [](Op& o) { o.run_bytes = 0x8000'0000; });
        CHECK(system.execute(0, describe(LEVEE_DMA_COPY, refusals.good)) == LEVEE_ERROR_NONE);
        CHECK(system.execute(0, describe(LEVEE_DMA_FILL, refusals.good)) == LEVEE_ERROR_NONE);
    });
}
