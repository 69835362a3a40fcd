// SPDX-License-Identifier: Apache-2.0
// Tests a cache of experts between a slow memory and its reader. A separate LRU cache predicts
// which experts stay. Times are derived by hand, and copies must equal their originals.
#include "core/command/tensor_rows.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/expert_cache/module.hpp"
#include "test/unit/blocks/bench.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace levee;
using namespace levee::test;
using expert_cache::Directory;
using expert_cache::ExpertCache;
using expert_cache::Layout;
using expert_cache::Matrix;

/// Counts the hits of accesses to single keys, from the time of each cached key's last use.
std::size_t hits_by_time(const std::vector<std::uint64_t>& keys, std::size_t capacity)
{
    std::map<std::uint64_t, std::size_t> used;
    std::size_t hits = 0;
    for (std::size_t now = 0; now < keys.size(); ++now) {
        hits += used.count(keys[now]);
        if (used.count(keys[now]) == 0 && used.size() == capacity)
            used.erase(std::min_element(used.begin(), used.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; }));
        used[keys[now]] = now;
    }
    return hits;
}

/// Returns Che's approximation of the hit rate of an LRU cache with independent draws. It finds the
/// time t at which sum(1 - exp(-p t)) = capacity; the rate is sum(p (1 - exp(-p t))).
double che(const std::vector<double>& shares, double capacity)
{
    const auto there = [&](double time) {
        double sum = 0;
        for (const double p : shares)
            sum += 1 - std::exp(-p * time);
        return sum;
    };
    double low = 0, high = 1e9;
    for (int i = 0; i < 200; ++i)
        (there((low + high) / 2) < capacity ? low : high) = (low + high) / 2;
    double rate = 0;
    for (const double p : shares)
        rate += p * (1 - std::exp(-p * low));
    return rate;
}

constexpr std::uint64_t slow_rate = 1'000'000'000, fast_rate = 4'000'000'000;
constexpr Picoseconds slow_latency = 50'000, fast_latency = 3'000;
constexpr std::uint64_t slow_base = 0x50'0000'0000, fast_base = 0x60'0000'0000,
                        cache_base = 0x70'0000'0000, store_bytes = 1 << 20;
constexpr std::uint64_t up_bytes = 8192, down_bytes = 4096, up_at = 4096, down_at = 65536;
constexpr std::uint32_t experts = 6;
constexpr std::uint64_t copies_at = 0x1000, slots = 3;

struct Reader : sc_core::sc_module {
    InitiatorSocket socket{"socket"};
    BulkPort port{socket};
    explicit Reader(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// A layer of six experts, three of which fit into the fast memory.
struct System : Bench {
    sram::Sram slow{"slow", {store_bytes, slow_rate, slow_latency, false, false}};
    sram::Sram fast{"fast", {store_bytes, fast_rate, fast_latency, false, false}};
    ExpertCache cache{"cache", {store_bytes, DataMode::Functional}};
    Reader reader{"reader"};
    BulkPort& port = reader.port;

    System() : Bench("bench")
    {
        reader.socket.bind(bus.initiators);
        cache.memory.bind(bus.initiators);
        bus.targets.bind(slow.port);
        bus.targets.bind(fast.port);
        bus.targets.bind(cache.port);
        bus.map({"slow", slow_base, store_bytes, 2, 0});
        bus.map({"fast", fast_base, store_bytes, 3, 0});
        bus.map({"cache", cache_base, store_bytes, 4, 0, "cache", true, false});
        const std::vector<ExpertMatrices> all{{0, experts, up_at, up_bytes},
                                              {0, experts, down_at, down_bytes}};
        cache.hold(all, {slow_base, fast_base + copies_at, slots * (up_bytes + down_bytes) + 100});
        for (std::uint64_t i = 0; i < store_bytes; ++i)
            slow.storage().data()[i] = static_cast<std::uint8_t>(random_word(1, 2, i));
    }

    struct Stream {
        Picoseconds time, latency;
        std::map<std::string, std::uint64_t> bytes; ///< Bytes read and written, by resource.
    };
    /// Opens a stream that reads the first matrices of these experts `times` times, and runs it
    /// alone.
    Stream open(const std::vector<std::uint32_t>& chosen, std::uint64_t times = 1)
    {
        AccessPattern pattern =
            contiguous(cache_base + up_at + chosen.front() * up_bytes, up_bytes);
        std::vector<std::uint64_t> parts;
        for (const std::uint32_t expert : chosen)
            parts.push_back((expert - chosen.front()) * up_bytes);
        pattern.count[0] = chosen.size();
        pattern.stride[0] =
            chosen.size() > 1 ? static_cast<std::int64_t>(parts.back() / (chosen.size() - 1)) : 0;
        Activity activity;
        Stream stream{};
        REQUIRE(port.open(Direction::Read, pattern, times * chosen.size() * up_bytes, activity.uses,
                          stream.latency, parts));
        for (const FlowUse& use : activity.uses)
            stream.bytes[use.resource->flow_name() +
                         (use.direction == Direction::Read ? " read" : " write")] += use.bytes;
        FlowNetwork network;
        network.start(activity, 0);
        stream.time = network.next_event();
        network.cancel(activity, 0);
        return stream;
    }
    std::vector<std::uint8_t> read(std::uint64_t offset, std::uint64_t bytes)
    {
        std::vector<std::uint8_t> data(bytes);
        REQUIRE(port.read(contiguous(cache_base + offset, bytes), data.data()));
        return data;
    }
    std::vector<std::uint8_t> stored(std::uint64_t offset, std::uint64_t bytes)
    {
        const std::uint8_t* const from = slow.storage().data() + offset;
        return {from, from + bytes};
    }
};

constexpr Picoseconds time_of(std::uint64_t bytes, std::uint64_t rate)
{
    return bytes * (1'000'000'000'000 / rate);
}

} // namespace

TEST_CASE("the directory keeps the most recently used experts, at Che's hit rate")
{
    constexpr std::size_t population = 64, capacity = 16, draws = 200'000;
    std::vector<double> shares(population);
    for (std::size_t i = 0; i < population; ++i)
        shares[i] = std::pow(static_cast<double>(i + 1), -0.9);
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares)
        share /= all;
    std::mt19937 engine(5);
    std::discrete_distribution<std::uint64_t> zipf(shares.begin(), shares.end());
    Directory directory(capacity);
    std::vector<std::uint64_t> keys;
    std::size_t hits = 0;
    for (std::size_t i = 0; i < draws; ++i) {
        keys.push_back(zipf(engine));
        hits += directory.use({keys.back(), 0, 64, 0, 0}).was_there ? 1 : 0;
    }
    CHECK(hits == hits_by_time(keys, capacity));
    CHECK(static_cast<double>(hits) / draws == Approx(che(shares, capacity)).epsilon(0.01));
    CHECK(directory.evictions() == draws - hits - capacity);
}

TEST_CASE("an expert's matrices arrive one by one, are evicted together and share no slot")
{
    Directory directory(2);
    const auto use = [&](std::uint64_t expert, std::uint32_t number) {
        return directory.use({expert, 0, 64, 0, number});
    };
    CHECK_FALSE(use(7, 0).was_there);
    CHECK_FALSE(use(7, 1).was_there);
    CHECK_FALSE(use(8, 0).was_there);
    CHECK(use(7, 0).was_there);
    CHECK(use(7, 1).was_there);
    const std::uint64_t slot = use(7, 0).slot;
    CHECK(use(8, 0).slot != slot);
    CHECK_FALSE(use(9, 0).was_there); // Expert 9 replaces expert 7.
    CHECK_FALSE(directory.slot_of({7, 0, 64, 0, 0}));
    CHECK_FALSE(directory.slot_of({7, 0, 64, 0, 1}));
    CHECK_FALSE(directory.slot_of({8, 0, 64, 0, 1}));
    CHECK(directory.slot_of({8, 0, 64, 0, 0}));
    CHECK_FALSE(use(7, 1).was_there);
}

TEST_CASE("experts of different layers are different, and a stream through two kinds has no item")
{
    const Layout layout(std::vector<ExpertMatrices>{
        {1, 4, 0, 100}, {1, 4, 400, 60}, {3, 4, 704, 100}, {3, 4, 1104, 60}});
    CHECK(layout.slot_bytes() == 192);
    REQUIRE(layout.find(250, 399) != nullptr);
    CHECK(layout.find(250, 400) == nullptr);
    CHECK(layout.find(640, 640) == nullptr);
    CHECK(layout.find(1344, 1344) == nullptr);
    const auto matrix = [&](std::uint64_t at) { return layout.matrix(*layout.find(at, at), at); };
    CHECK(matrix(250).expert == matrix(520).expert);
    CHECK(matrix(250).offset == 200);
    CHECK(matrix(520).offset == 520);
    CHECK(matrix(520).in_slot == 128);
    std::set<std::uint64_t> numbers;
    for (const std::uint64_t at : {0, 100, 200, 300, 704, 804, 904, 1004})
        numbers.insert(matrix(at).expert);
    CHECK(numbers.size() == 8);
}

TEST_CASE("times by hand: all misses, all hits, a mixture, and repeated reads")
{
    System system;
    system.run([&] {
        const std::vector<std::uint32_t> both{1, 4};
        const auto missed = system.open(both);
        // The copy is written while the matrix is read.
        CHECK(missed.time == time_of(2 * up_bytes, slow_rate));
        CHECK(missed.latency == hop + hop + slow_latency);
        CHECK(missed.bytes.at("slow read") == 2 * up_bytes);
        CHECK(missed.bytes.at("fast write") == 2 * up_bytes);
        CHECK(missed.bytes.count("fast read") == 0);

        const auto hit = system.open(both);
        CHECK(hit.time == time_of(2 * up_bytes, fast_rate));
        CHECK(hit.latency == hop + hop + fast_latency);
        CHECK(hit.bytes.at("fast read") == 2 * up_bytes);
        CHECK(hit.bytes.count("slow read") == 0);
        CHECK(hit.bytes.count("fast write") == 0);

        const auto mixed = system.open({1, 2, 4}); // Expert 2 is a miss.
        // The fast memory reads two matrices and writes one, at four times the rate.
        CHECK(mixed.time == time_of(up_bytes, slow_rate));
        CHECK(mixed.bytes.at("slow read") == up_bytes);
        CHECK(mixed.bytes.at("fast read") == 2 * up_bytes);

        // The matrix is read once from the slow memory and eight times from its copy.
        const auto again = system.open({0}, 9);
        CHECK(again.bytes.at("slow read") == up_bytes);
        CHECK(again.bytes.at("fast read") == 8 * up_bytes);
        CHECK(again.time == time_of(9 * up_bytes, fast_rate));

        CHECK(figure(system.cache, "hits") == 4);
        CHECK(figure(system.cache, "misses") == 4);
        CHECK(figure(system.cache, "filled_bytes") == 4 * up_bytes);
        CHECK(figure(system.cache, "evictions") == 1);
        CHECK(figure(system.cache, "experts") == slots);
    });
}

TEST_CASE("bytes come from the copy while it exists, otherwise from the slow memory")
{
    System system;
    system.run([&] {
        const auto up = [](std::uint32_t expert) { return up_at + expert * up_bytes; };
        CHECK(system.read(up(2), up_bytes) == system.stored(up(2), up_bytes));
        const auto before = system.stored(up(2), up_bytes);
        (void)system.open({2});
        std::fill_n(system.slow.storage().data() + up(2), up_bytes, std::uint8_t{0xEE});
        CHECK(system.read(up(2), up_bytes) == before);
        CHECK(system.read(up(2) + 100, 50) ==
              std::vector<std::uint8_t>(before.begin() + 100, before.begin() + 150));
        (void)system.open({0, 1, 3}); // Expert 2 is replaced.
        CHECK(system.read(up(2), up_bytes) == std::vector<std::uint8_t>(up_bytes, 0xEE));
        for (const std::uint32_t expert : {0, 1, 3, 5})
            CHECK(system.read(up(expert), up_bytes) == system.stored(up(expert), up_bytes));
        // This matrix was not loaded with the first one.
        const std::uint64_t second = down_at + 3 * down_bytes;
        CHECK(system.read(second, down_bytes) == system.stored(second, down_bytes));
    });
}

TEST_CASE("accesses outside experts bypass the cache, writes are refused, and so is a cache "
          "without space")
{
    System system;
    system.run([&] {
        std::vector<FlowUse> uses;
        Picoseconds latency = 0;
        CHECK(system.port.open(Direction::Read, contiguous(cache_base, 64), 64, uses, latency));
        CHECK(uses.back().resource->flow_name() == "slow");
        CHECK(figure(system.cache, "misses") == 0);
        CHECK_FALSE(system.port.allows(Direction::Write, contiguous(cache_base + up_at, 64)));
        CHECK(system.port.allows(Direction::Read, contiguous(cache_base + up_at, 64)));
        CHECK_FALSE(
            system.port.allows(Direction::Read, contiguous(cache_base + store_bytes - 8, 16)));
        const std::vector<ExpertMatrices> one{{0, 1, 0, 128}};
        CHECK_THROWS_AS(system.cache.hold(one, {slow_base, fast_base, 127}), std::invalid_argument);
    });
}
