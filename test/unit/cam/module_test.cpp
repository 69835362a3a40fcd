// SPDX-License-Identifier: Apache-2.0
// Tests the associative memory in a system. Its lists equal the reference's, its times follow the
// timing rule, and a timing-only run repeats both.
#include "test/unit/blocks/twins.hpp"
#include "test/unit/cam/cam_system.hpp"

#include <algorithm>

namespace {

using namespace levee;
using namespace levee::test;
using Lists = std::vector<std::uint32_t>;

constexpr Picoseconds lead = fetch + hop + memory_latency;

/// The lists that SEARCH must write, derived from the definition in regs.h.
Lists expected_lists(const CamCase& all, const levee_cam_operation& op)
{
    const cam::Format format{op.n, op.bits, static_cast<levee_cam_distance>(op.distance), op.range};
    const std::uint32_t lengths[] = {CamCase::slots, 13}, counts[] = {7, 4};
    Lists lists;
    for (std::size_t slice = 0; slice < std::size_t{CamCase::entries} * CamCase::heads; ++slice) {
        const std::size_t entry = slice / CamCase::heads;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
        for (std::uint32_t slot = 0; slot < lengths[entry]; ++slot) {
            std::uint32_t merged = op.merge == LEVEE_CAM_SUM ? 0 : UINT32_MAX;
            for (std::uint32_t i = 0; i < CamCase::group; ++i) {
                std::vector<std::uint8_t> key(cells(format)), query(cells(format));
                const std::size_t at = slice * CamCase::slots + slot;
                store(format, std::span(all.keys).subspan(at * op.n, op.n), all.scales[at], key);
                ask(format,
                    std::span(all.queries).subspan((slice * CamCase::group + i) * op.n, op.n),
                    query);
                const std::uint32_t one = distance(format, key, query);
                merged = op.merge == LEVEE_CAM_SUM ? merged + one : std::min(merged, one);
            }
            order.emplace_back(merged, slot);
        }
        std::ranges::sort(order);
        Lists list;
        for (std::uint32_t i = 0; i < counts[entry]; ++i)
            list.push_back(order[i].second);
        std::ranges::sort(list);
        list.resize(CamCase::slots, LEVEE_CAM_NONE);
        lists.insert(lists.end(), list.begin(), list.end());
    }
    return lists;
}

Lists lists_in(Bench& system, const CamCase& all)
{
    return system.get<std::uint32_t>(all.list_at, std::size_t{CamCase::entries} * CamCase::heads *
                                                      CamCase::slots);
}

} // namespace

TEST_CASE("lists in memory are those of the reference, for every distance, width and merging")
{
    CamSystem system;
    system.run([&] {
        const std::uint64_t mark = system.mark();
        std::uint32_t different = 0;
        Lists before;
        for (std::uint32_t seed = 0; seed < 72; ++seed) {
            INFO("seed " << seed);
            system.release(mark);
            const CamCase all(system, seed);
            levee_cam_operation op = CamCase::format(static_cast<std::uint8_t>(1 + seed % 4),
                                                     static_cast<levee_cam_distance>(seed / 4 % 3),
                                                     seed / 12 % 2 != 0 ? 1.5f : 0);
            op.merge = static_cast<std::uint8_t>(seed / 24 % 2);
            REQUIRE(system.execute(0, describe(LEVEE_CAM_WRITE, all.write(op))) ==
                    LEVEE_ERROR_NONE);
            REQUIRE(system.execute(0, describe(LEVEE_CAM_SEARCH, all.search(op))) ==
                    LEVEE_ERROR_NONE);
            const Lists found = lists_in(system, all);
            CHECK(found == expected_lists(all, op));
            different += found != before ? 1 : 0;
            before = found;
        }
        CHECK(different > 70);
    });
}

TEST_CASE("a token's proxy is written to its own row only")
{
    CamSystem system;
    system.run([&] {
        CamCase all(system, 5);
        const levee_cam_operation op = CamCase::format(4, LEVEE_CAM_L2);
        REQUIRE(system.execute(0, describe(LEVEE_CAM_WRITE, all.write(op))) == LEVEE_ERROR_NONE);
        // Slot 6 of sequence 0 and slot 9 of sequence 1 get keys equal to the first query of each
        // head.
        const std::uint32_t slot_of[] = {6, 9};
        for (std::size_t slice = 0; slice < std::size_t{CamCase::entries} * CamCase::heads; ++slice)
            std::copy_n(
                all.queries.begin() +
                    static_cast<std::ptrdiff_t>(slice * CamCase::group * CamCase::n),
                CamCase::n,
                all.keys.begin() +
                    static_cast<std::ptrdiff_t>(
                        (slice * CamCase::slots + slot_of[slice / CamCase::heads]) * CamCase::n));
        std::memcpy(system.at(all.keys_at), all.keys.data(), all.keys.size() * 2);
        std::memcpy(system.at(all.slots_at), slot_of, sizeof slot_of);
        levee_cam_operation one = all.write(op);
        one.rows = 1;
        REQUIRE(system.execute(0, describe(LEVEE_CAM_WRITE, one)) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(LEVEE_CAM_SEARCH, all.search(op))) == LEVEE_ERROR_NONE);
        CHECK(lists_in(system, all) == expected_lists(all, op));
        CHECK(figure(system.memory_of_proxies, "rows_written") == 6 * 20 + 6);
    });
}

TEST_CASE("time by hand: rows are programmed one by one, arrays searched in parallel")
{
    CamSystem system;
    Asked asked;
    system.memory_of_proxies.queue.observe(asked);
    system.run([&] {
        const CamCase all(system, 1);
        const levee_cam_operation op = CamCase::format(2, LEVEE_CAM_HAMMING);
        CHECK(system.time(describe(LEVEE_CAM_WRITE, all.write(op))) == lead + 120 * 5 * cam_cycle);
        CHECK(asked.work[0] == std::pair<std::string, std::uint64_t>{"cell_write", 960});
        // Slices use rows 0-19, 20-39, 40-59, 60-72, 80-92 and 100-112, counted over all arrays; an
        // array has 16 rows. Arrays 1, 2 and 3 each hold parts of two slices, and no array holds
        // parts of three. So the two queries take two rounds of 3 cycles each. Then 3 * 7 + 3 * 4 =
        // 33 matches leave at two a cycle.
        CHECK(system.time(describe(LEVEE_CAM_SEARCH, all.search(op))) ==
              lead + (2 * 2 * 3 + 17) * cam_cycle);
        CHECK(asked.work ==
              std::vector<std::pair<std::string, std::uint64_t>>{
                  {"cell_write", 0}, {"cell_search", 2 * 99 * 8}, {"line", 2 * 99}, {"match", 33}});
        CHECK(figure(system.memory_of_proxies, "searches") == 12);
        CHECK(figure(system.memory_of_proxies, "rows_compared") == 198);
        CHECK(figure(system.memory_of_proxies, "matches") == 33);
    });
}

TEST_CASE("K = N lists every slot")
{
    CamSystem system;
    system.run([&] {
        const CamCase all(system, 2);
        const levee_cam_operation op = CamCase::format(1, LEVEE_CAM_HAMMING);
        levee_cam_operation search = all.search(op);
        search.counts = all.lengths_at;
        REQUIRE(system.execute(0, describe(LEVEE_CAM_WRITE, all.write(op))) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(LEVEE_CAM_SEARCH, search)) == LEVEE_ERROR_NONE);
        const Lists found = lists_in(system, all);
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            const std::uint32_t slot = i % CamCase::slots, length = i < 60 ? 20 : 13;
            CHECK(found[i] == (slot < length ? slot : LEVEE_CAM_NONE));
        }
    });
}

TEST_CASE("a timing-only run has the functional run's lists, accesses and time")
{
    Bench system("bench", {}, 256'000'000'000);
    Memo memo;
    const Fabric real{
        system.flows, system.sync, system.streams, DataMode::Functional, {&memo, nullptr, nullptr}};
    const Fabric shapes{
        system.flows, system.sync, system.streams, DataMode::TimingOnly, {nullptr, &memo, nullptr}};
    const cam::Config config{Clock{1'000'000'000}, small_build(), queue_config};
    cam::Cam one("one", config, real), other("other", config, shapes);
    Asked asked[2];
    one.queue.observe(asked[0]);
    other.queue.observe(asked[1]);
    system.connect(one.queue);
    system.connect(other.queue);
    system.run([&] {
        const CamCase all(system, 3);
        const levee_cam_operation op = CamCase::format(3, LEVEE_CAM_L2_PRODUCT);
        Lists lists[2];
        for (unsigned block = 0; block < 2; ++block) {
            REQUIRE(system.execute(block, describe(LEVEE_CAM_WRITE, all.write(op))) ==
                    LEVEE_ERROR_NONE);
            REQUIRE(system.execute(block, describe(LEVEE_CAM_SEARCH, all.search(op))) ==
                    LEVEE_ERROR_NONE);
            lists[block] = lists_in(system, all);
            std::memset(system.at(all.list_at), 0, lists[block].size() * 4);
        }
        CHECK(lists[0] == expected_lists(all, op));
        CHECK(lists[1] == lists[0]);
        CHECK(asked[0].work == asked[1].work);
        CHECK(asked[0].uses == asked[1].uses);
        for (const char* const name : {"cycles", "rows_compared", "matches", "rows_written"})
            CHECK(figure(one, name) == figure(other, name));
    });
}

TEST_CASE("runs from statistics spread the found slots evenly")
{
    Bench system("bench");
    const DecisionStatistics statistics{};
    const Fabric shapes{system.flows,
                        system.sync,
                        system.streams,
                        DataMode::TimingOnly,
                        {nullptr, nullptr, &statistics}};
    cam::Cam cam("cam", {Clock{1'000'000'000}, small_build(), queue_config}, shapes);
    system.connect(cam.queue);
    system.run([&] {
        const CamCase all(system, 3);
        const levee_cam_operation op = CamCase::format(3, LEVEE_CAM_L2);
        REQUIRE(system.execute(0, describe(LEVEE_CAM_WRITE, all.write(op))) == LEVEE_ERROR_NONE);
        REQUIRE(system.execute(0, describe(LEVEE_CAM_SEARCH, all.search(op))) == LEVEE_ERROR_NONE);
        const Lists found = lists_in(system, all);
        CHECK(Lists(found.begin(), found.begin() + 8) ==
              Lists{0, 2, 5, 8, 11, 14, 17, LEVEE_CAM_NONE});
    });
}
