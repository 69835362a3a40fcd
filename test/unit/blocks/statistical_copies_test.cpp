// SPDX-License-Identifier: Apache-2.0
// Tests the DMA engine in statistical timing-only runs: copies by tables whose contents are
// unknown, and the ends of long tables.
#include "test/unit/blocks/twins.hpp"

namespace {

using namespace levee;
using namespace levee::test;

using Copy = levee_dma_operation;

/// Returns a copy of two by two runs of 32 KiB each. The gaps are the bytes between runs on each
/// side.
Copy four_runs(Twins& system, std::uint32_t source_gap, std::uint32_t destination_gap)
{
    constexpr std::uint32_t run = 1 << 15;
    const std::uint32_t source = 4 * (run + source_gap);
    const std::uint32_t destination = 4 * (run + destination_gap);
    Copy table{};
    table.count[0] = 1;
    table.count[1] = table.count[2] = 2;
    table.run_bytes = run;
    table.flags = LEVEE_DMA_CONTROL;
    table.source = system.put(std::vector<std::uint8_t>(source, 7));
    table.source_stride[2] = source / 4;
    table.source_stride[1] = source / 2;
    table.destination = system.put(std::vector<std::uint8_t>(destination, 1));
    table.destination_stride[2] = destination / 4;
    table.destination_stride[1] = destination / 2;
    return table;
}

} // namespace

TEST_CASE("runs from statistics copy all rows if they lack the table")
{
    Twins system(true);
    system.run([&] {
        Copy copy{};
        copy.count[0] = 1;
        copy.count[1] = 3;
        copy.count[2] = 10;
        copy.run_bytes = 64;
        copy.source = more_base;
        copy.source_stride[1] = 4096;
        copy.source_stride[2] = 64;
        copy.source_index = memory_base + 4; // Statistical runs never read this table.
        copy.source_index_stride[2] = 4;
        copy.destination = system.take(4096);
        copy.destination_stride[1] = 640;
        copy.destination_stride[2] = 64;
        CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_COPY, copy)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.more.streamed[0] == 30 * 64);

        // A table with one word for each (i, j) is not a table of rows.
        copy.source_index = system.put(std::vector<std::uint32_t>{0, LEVEE_DMA_SKIP, 2});
        copy.source_index_stride[1] = 4;
        copy.source_index_stride[2] = 0;
        copy.count[2] = 1;
        system.more.streamed[0] = 0;
        CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_COPY, copy)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.more.streamed[0] == 2 * 64);
    });
}

TEST_CASE("runs from statistics copy the ends of long tables")
{
    Twins system(true);
    system.run([&] {
        constexpr std::uint32_t bytes = 1 << 17, kept = 1 << 16;
        Copy table{};
        table.count[0] = table.count[1] = table.count[2] = 1;
        table.run_bytes = bytes;
        table.flags = LEVEE_DMA_CONTROL;
        table.source = system.put(std::vector<std::uint8_t>(bytes, 7));
        table.destination = system.put(std::vector<std::uint8_t>(bytes, 1));
        CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_COPY, table)).error ==
              LEVEE_ERROR_NONE);
        std::vector<std::uint8_t> expected(bytes, 1);
        std::fill(expected.end() - kept, expected.end(), std::uint8_t{7});
        CHECK(system.get<std::uint8_t>(table.destination, bytes) == expected);
    });
}

TEST_CASE("runs from statistics copy the ends of long tables that are several runs without gaps")
{
    Twins system(true);
    system.run([&] {
        constexpr std::uint32_t bytes = 1 << 17, kept = 1 << 16;
        std::vector<std::uint8_t> expected(bytes, 1);
        std::fill(expected.end() - kept, expected.end(), std::uint8_t{7});
        Copy table = four_runs(system, 0, 0);
        CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_COPY, table)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint8_t>(table.destination, bytes) == expected);
        table.fill = 9;
        std::fill(expected.end() - kept, expected.end(), std::uint8_t{9});
        CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_FILL, table)).error ==
              LEVEE_ERROR_NONE);
        CHECK(system.get<std::uint8_t>(table.destination, bytes) == expected);
    });
}

TEST_CASE("runs from statistics copy long tables with gaps as a whole")
{
    Twins system(true);
    system.run([&] {
        for (const auto& [source_gap, gap] : {std::pair{64u, 0u}, {0u, 64u}, {128u, 64u}}) {
            INFO("gaps of " << source_gap << " and " << gap << " bytes");
            const Copy table = four_runs(system, source_gap, gap);
            CHECK(system.execute_on(Twins::ShapeDma, describe(LEVEE_DMA_COPY, table)).error ==
                  LEVEE_ERROR_NONE);
            std::vector<std::uint8_t> expected(4 * (table.run_bytes + gap), 1);
            for (std::size_t run = 0; run < 4; ++run)
                std::fill_n(expected.begin() +
                                static_cast<std::ptrdiff_t>(run * (table.run_bytes + gap)),
                            table.run_bytes, std::uint8_t{7});
            CHECK(system.get<std::uint8_t>(table.destination, expected.size()) == expected);
        }
    });
}
