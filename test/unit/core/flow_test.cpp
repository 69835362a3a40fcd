// SPDX-License-Identifier: Apache-2.0
#include "core/flow/flow.hpp"
#include "core/numerics/numerics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

namespace {

using namespace levee;

/// A memory or link with a fixed price per byte for each direction.
class Pipe : public FlowResource {
public:
    Pipe(std::string name, double read_ps, double write_ps)
        : FlowResource({FlowAccount::Kind::Storage, std::move(name)}), read_ps_(read_ps),
          write_ps_(write_ps)
    {
    }
    double price_of(const FlowUse& use) const
    {
        return use.direction == Direction::Read ? read_ps_ : write_ps_;
    }
    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
               std::span<double> ps_per_byte) override
    {
        CHECK(mix.size() == demand.size());
        CHECK(mix.size() == ps_per_byte.size());
        for (std::size_t i = 0; i < mix.size(); ++i)
            ps_per_byte[i] = price_of(*mix[i]);
        streams = mix.size();
        ++priced;
    }

    std::size_t streams = 0; ///< Number of streams at the last pricing.
    unsigned priced = 0;     ///< number of calls

private:
    double read_ps_, write_ps_;
};

struct Stream {
    Pipe* pipe;
    std::uint64_t bytes;
    Direction direction = Direction::Read;
};

void describe(Activity& activity, std::initializer_list<Stream> streams, Picoseconds minimum = 0)
{
    for (const Stream& stream : streams)
        activity.uses.push_back(FlowUse{stream.pipe, stream.direction, {}, stream.bytes});
    activity.minimum = minimum;
}

/// Runs the network to its end and returns the end time of each activity.
std::map<const Activity*, Picoseconds> run_out(FlowNetwork& network)
{
    std::map<const Activity*, Picoseconds> ended;
    while (!network.running().empty()) {
        const Picoseconds now = network.next_event();
        network.finish_due(now, [&](Activity& activity) { ended[&activity] = now; });
    }
    return ended;
}

} // namespace

TEST_CASE("one stream takes its bytes at the resource's rate")
{
    Pipe memory("memory", 10.0, 10.0);
    Activity copy;
    describe(copy, {{&memory, 1000}});
    FlowNetwork network;
    network.start(copy, 500);
    CHECK(copy.bound_by == &memory);
    CHECK(run_out(network)[&copy] == 10'500);
    CHECK(memory.streams == 0); // The memory is priced once more when its last stream ends.
}

TEST_CASE("an activity that the memory does not limit takes its own time")
{
    Pipe memory("memory", 1.0, 1.0);
    Activity slow;
    describe(slow, {{&memory, 1000}}, 7777);
    FlowNetwork network;
    network.start(slow, 0);
    CHECK(slow.bound_by == nullptr);
    CHECK(run_out(network)[&slow] == 7777);
}

TEST_CASE("two equal streams get half of a memory each, whatever their sizes")
{
    Pipe memory("memory", 10.0, 10.0);
    Activity small, large;
    describe(small, {{&memory, 1000}});
    describe(large, {{&memory, 5000}});
    FlowNetwork network;
    network.start(large, 0);
    network.start(small, 0);
    // At half the rate, 1000 bytes each take 20 ns. Then 4000 bytes at the full rate take 40 ns
    // more.
    auto ended = run_out(network);
    CHECK(ended[&small] == 20'000);
    CHECK(ended[&large] == 60'000);
}

TEST_CASE("bandwidth that a slow stream leaves goes to the others")
{
    Pipe memory("memory", 10.0, 10.0);
    Activity slow, fast, other;
    describe(slow, {{&memory, 1000}}, 100'000); // This activity needs a tenth of the memory rate.
    describe(fast, {{&memory, 4500}});
    describe(other, {{&memory, 900}});
    FlowNetwork network;
    for (Activity* activity : {&slow, &fast, &other})
        network.start(*activity, 0);
    // fast and other share nine tenths of the rate, so that each takes 22.2 ps per byte. other ends
    // at 20 ns. fast then has 3600 bytes left at 11.1 ps per byte, which take 40 ns more.
    auto ended = run_out(network);
    CHECK(ended[&other] == 20'000);
    CHECK(ended[&fast] == 60'000);
    CHECK(ended[&slow] == 100'000);
}

TEST_CASE("an activity over several resources runs at the pace of the slowest")
{
    Pipe source("source", 2.0, 2.0), link("link", 5.0, 5.0), sink("sink", 3.0, 3.0);
    Activity copy, reader;
    describe(copy, {{&source, 1000}, {&link, 1000}, {&sink, 1000, Direction::Write}});
    describe(reader, {{&source, 6000}});
    FlowNetwork network;
    network.start(copy, 0);
    network.start(reader, 0);
    // The link limits copy to 0.2 B/ps, which takes 0.4 of the source; reader gets 0.3 B/ps. When
    // copy ends at 5 ns, reader has 4500 bytes left at 0.5 B/ps.
    CHECK(copy.bound_by == &link);
    CHECK(reader.bound_by == &source);
    auto ended = run_out(network);
    CHECK(ended[&copy] == 5'000);
    CHECK(ended[&reader] == 14'000);
}

TEST_CASE("reads and writes of one activity through one memory add up")
{
    Pipe memory("memory", 2.0, 4.0);
    Activity copy;
    describe(copy, {{&memory, 1000}, {&memory, 1000, Direction::Write}});
    FlowNetwork network;
    network.start(copy, 0);
    CHECK(run_out(network)[&copy] == 6'000);
}

TEST_CASE("two activities that mainly use different memories do not halve each other's rate")
{
    // Each activity moves 1000 bytes through one memory and 10 bytes through the other.
    Pipe left("left", 10.0, 10.0), right("right", 10.0, 10.0);
    Activity leftish, rightish;
    describe(leftish, {{&left, 1000}, {&right, 10, Direction::Write}});
    describe(rightish, {{&right, 1000}, {&left, 10, Direction::Write}});
    FlowNetwork network;
    network.start(leftish, 0);
    network.start(rightish, 0);
    auto ended = run_out(network);
    CHECK(ended[&leftish] == 10'100);
    CHECK(ended[&rightish] == 10'100);
}

TEST_CASE("resources of the same speed in series count once")
{
    Pipe link("link", 10.0, 10.0), memory("memory", 10.0, 10.0);
    Activity a, b;
    describe(a, {{&link, 1000}, {&memory, 1000}});
    describe(b, {{&link, 1000}, {&memory, 1000}});
    FlowNetwork network;
    network.start(a, 0);
    network.start(b, 0);
    auto ended = run_out(network);
    CHECK(ended[&a] == 20'000);
    CHECK(ended[&b] == 20'000);
}

TEST_CASE("rates change when an activity starts, ends or is cancelled, and progress is kept")
{
    Pipe memory("memory", 10.0, 10.0);
    Activity first, second;
    describe(first, {{&memory, 1000}});
    describe(second, {{&memory, 1000}});
    FlowNetwork network;
    network.start(first, 0);
    CHECK(FlowNetwork::reaches(first, 0.5) == 5'000);
    CHECK(FlowNetwork::progress(first, 2'500) == Approx(0.25));
    network.start(second, 5'000);
    CHECK(FlowNetwork::progress(first, 5'000) == Approx(0.5));
    CHECK(FlowNetwork::reaches(first, 0.75) == 10'000); // The rate halves from here on.
    CHECK(network.next_event() == 15'000);
    network.cancel(second, 7'000);
    CHECK(network.next_event() == 11'000); // 400 bytes are left and run alone
    network.cancel(second, 8'000);         // The activity is not running, so nothing happens.
    CHECK(run_out(network)[&first] == 11'000);
}

TEST_CASE("a resource is priced again only when its own streams change")
{
    Pipe memory("memory", 10.0, 10.0), other("other", 1.0, 1.0);
    Activity first, second, third;
    describe(first, {{&memory, 1000}});
    describe(second, {{&other, 500}, {&other, 500, Direction::Write}});
    describe(third, {{&memory, 1000}});
    FlowNetwork network;
    network.start(first, 0);
    network.start(second, 0);
    network.start(third, 0);
    CHECK(memory.priced == 2);
    CHECK(other.priced == 1);
    const auto ended = run_out(network);
    CHECK(ended.at(&second) == 1'000);
    CHECK(ended.at(&first) == 20'000);
    CHECK(memory.priced == 3); // once for both ends, which are simultaneous
    CHECK(other.priced == 2);
    CHECK(other.streams == 0);
}

TEST_CASE("an activity without streams or pace ends at once, and no simultaneous end is lost")
{
    Pipe memory("memory", 10.0, 10.0);
    Activity nothing, a, b;
    describe(nothing, {});
    describe(a, {{&memory, 100}});
    describe(b, {{&memory, 100}});
    FlowNetwork network;
    for (Activity* activity : {&nothing, &a, &b})
        network.start(*activity, 100);
    CHECK(network.next_event() == 100);
    std::vector<const Activity*> order;
    network.finish_due(100, [&](Activity& activity) { order.push_back(&activity); });
    network.finish_due(2'100, [&](Activity& activity) { order.push_back(&activity); });
    CHECK(order == std::vector<const Activity*>{&nothing, &a, &b});
    CHECK(network.running().empty());
    CHECK(network.next_event() == std::numeric_limits<Picoseconds>::max());
}

namespace {

/// A resource that schedules all its streams to end in 1 ms, and recomputes every 100 ps. At 500 ps
/// it finds that only 700 ps more are needed.
class Looking : public FlowResource {
public:
    Looking() : FlowResource({FlowAccount::Kind::Storage, "looking"}) {}
    void price(std::span<const FlowUse* const>, std::span<const StreamDemand>,
               std::span<double>) override
    {
    }
    [[nodiscard]] bool schedules() const override { return true; }
    void schedule(Picoseconds now, std::span<ScheduledStream> mix) override
    {
        asked.push_back(now);
        for (ScheduledStream& stream : mix) {
            stream.ends_in = now < 500 ? 1e9 : 1200.0 - static_cast<double>(now);
            stream.is_bound = true;
        }
        until = now < 500 ? now + 100 : forever;
    }
    [[nodiscard]] Picoseconds holds_until() const override { return until; }

    std::vector<Picoseconds> asked;
    Picoseconds until = forever;
};

/// A resource that schedules an end time for each stream.
class Ending : public FlowResource {
public:
    explicit Ending(std::vector<double> ends)
        : FlowResource({FlowAccount::Kind::Storage, "ending"}), ends_(std::move(ends))
    {
    }
    void price(std::span<const FlowUse* const>, std::span<const StreamDemand>,
               std::span<double>) override
    {
    }
    [[nodiscard]] bool schedules() const override { return true; }
    void schedule(Picoseconds now, std::span<ScheduledStream> mix) override
    {
        for (std::size_t i = 0; i < mix.size(); ++i) {
            mix[i].ends_in = std::max(ends_.at(i) - static_cast<double>(now), 0.0);
            mix[i].is_bound = true;
        }
    }

private:
    std::vector<double> ends_;
};

} // namespace

TEST_CASE("on a resource that schedules, the slowest stream of an activity sets the pace")
{
    for (const std::vector<double>& ends :
         {std::vector{3000.0, 700.0, 500.0}, std::vector{700.0, 3000.0, 500.0},
          std::vector{500.0, 700.0, 3000.0}}) {
        Ending ending(ends);
        Activity activity;
        for (std::size_t i = 0; i < ends.size(); ++i)
            activity.uses.push_back(FlowUse{&ending, Direction::Read, {}, 1000});
        FlowNetwork network;
        network.start(activity, 0);
        CHECK(run_out(network).at(&activity) == 3000);
    }
}

TEST_CASE("a resource that schedules is asked again when its answers expire")
{
    Looking looking;
    Activity activity;
    activity.uses.push_back(FlowUse{&looking, Direction::Read, {}, 1000});
    FlowNetwork network;
    network.start(activity, 0);
    CHECK(network.next_event() == 100);
    network.finish_due(99, [](Activity&) { FAIL("nothing is done"); });
    CHECK(looking.asked == std::vector<Picoseconds>{0});
    CHECK(run_out(network).at(&activity) == 1200);
    // At 1200 ps no bytes are left, and the resource is notified once more.
    CHECK(looking.asked == std::vector<Picoseconds>{0, 100, 200, 300, 400, 500, 1200});
    CHECK(network.next_event() == forever);
}

namespace {

/// A resource that either prices its streams or schedules a common end for them, as the test asks.
class Changing : public FlowResource {
public:
    Changing() : FlowResource({FlowAccount::Kind::Storage, "changing"}) {}
    void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
               std::span<double> ps_per_byte) override
    {
        asked.push_back("price " + std::to_string(mix.size()));
        std::ranges::fill(ps_per_byte, 1.0);
    }
    [[nodiscard]] bool schedules() const override { return is_scheduling; }
    void schedule(Picoseconds now, std::span<ScheduledStream> mix) override
    {
        asked.push_back("schedule " + std::to_string(mix.size()));
        remaining.clear();
        for (ScheduledStream& stream : mix) {
            remaining.push_back(stream.remaining);
            stream.ends_in = 5000.0 - static_cast<double>(now);
            stream.is_bound = true;
        }
    }

    bool is_scheduling = false;
    std::vector<std::string> asked;
    std::vector<double> remaining;
};

} // namespace

TEST_CASE("a resource may change from prices to schedules and back while its streams run")
{
    using Asked = std::vector<std::string>;
    Changing memory;
    const FlowUse use{&memory, Direction::Read, {}, 1000};
    Activity first, second, third;
    first.uses = second.uses = third.uses = {use};
    FlowNetwork network;
    network.start(first, 0);
    CHECK(network.next_event() == 1000);
    CHECK(memory.asked == Asked{"price 1"});

    memory.is_scheduling = true;
    network.start(second, 500);
    CHECK(memory.asked == Asked{"price 1", "price 0", "schedule 2"});
    CHECK(memory.remaining == std::vector<double>{0.5, 1.0});
    CHECK(network.next_event() == 5000);

    memory.is_scheduling = false;
    memory.asked.clear();
    network.start(third, 2750); // By this time, half of both remainders has moved.
    CHECK(memory.asked == Asked{"schedule 0", "price 3"});
    const auto ends = run_out(network);
    CHECK(ends.at(&first) == 2750 + 3 * 250);
    CHECK(ends.at(&second) == 2750 + 3 * 250 + 2 * 250);
    CHECK(ends.at(&third) == 2750 + 3 * 250 + 2 * 250 + 500);
    CHECK(first.refresh_share == 0.0);
}

TEST_CASE("a time beyond the clock's range counts as never")
{
    Pipe memory("memory", 1e6, 1e6);
    Activity endless;
    describe(endless, {{&memory, std::uint64_t{1} << 60}});
    FlowNetwork network;
    network.start(endless, 1000);
    CHECK(network.next_event() == std::numeric_limits<Picoseconds>::max());
}

namespace {

/// A random set of activities that share a few resources.
struct Scene {
    std::deque<Pipe> pipes;
    std::deque<Activity> activities;

    Scene(std::uint32_t seed, std::size_t most_uses)
    {
        std::uint64_t drawn = 0;
        const auto draw = [&](std::uint32_t below) {
            return random_word(seed, 3, drawn++) % below;
        };
        const std::size_t pipe_count = 1 + draw(5);
        for (std::size_t i = 0; i < pipe_count; ++i)
            pipes.emplace_back("pipe", 1.0 + draw(20), 1.0 + draw(20));
        const std::size_t count = 1 + draw(8);
        for (std::size_t i = 0; i < count; ++i) {
            Activity& activity = activities.emplace_back();
            const std::size_t uses = 1 + draw(static_cast<std::uint32_t>(most_uses));
            for (std::size_t u = 0; u < uses; ++u)
                describe(activity, {{&pipes[draw(static_cast<std::uint32_t>(pipe_count))],
                                     1u + draw(1u << draw(20)),
                                     draw(2) == 0 ? Direction::Read : Direction::Write}});
            activity.minimum = draw(3) == 0 ? draw(4'000'000) : 0;
        }
    }

    double bytes_on(const Activity& activity, const Pipe& pipe) const
    {
        double bytes = 0;
        for (const FlowUse& use : activity.uses)
            if (use.resource == &pipe)
                bytes += static_cast<double>(use.bytes);
        return bytes;
    }
    double busy(const Pipe& pipe) const
    {
        double busy = 0;
        for (const Activity& activity : activities)
            for (const FlowUse& use : activity.uses)
                if (use.resource == &pipe)
                    busy += activity.speed * static_cast<double>(use.bytes) * pipe.price_of(use);
        return busy;
    }
    /// Whether the activity is limited by its own pace, or by a full resource on which no other
    /// activity gets more bytes. In the second case, it could be faster only at the cost of an
    /// activity that gets no more bytes.
    bool is_held_fairly(const Activity& activity) const
    {
        if (activity.minimum > 0 &&
            activity.speed * static_cast<double>(activity.minimum) > 0.999999)
            return true;
        return std::any_of(pipes.begin(), pipes.end(), [&](const Pipe& pipe) {
            const double mine = bytes_on(activity, pipe) * activity.speed;
            return mine > 0 && busy(pipe) > 0.999999 &&
                   std::all_of(activities.begin(), activities.end(), [&](const Activity& other) {
                       return bytes_on(other, pipe) * other.speed <= mine * 1.000001;
                   });
        });
    }
};

} // namespace

TEST_CASE("random activities: no resource gives more than it has, and the division is max-min fair")
{
    std::size_t unfair = 0;
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        Scene scene(seed, seed % 2 == 0 ? 1 : 4);
        FlowNetwork network;
        for (Activity& activity : scene.activities)
            network.start(activity, 0);
        INFO("seed " << seed);
        for (const Pipe& pipe : scene.pipes)
            CHECK(scene.busy(pipe) <= 1.0 + 1e-9);
        for (const Activity& activity : scene.activities) {
            CHECK(activity.speed > 0.0);
            if (activity.minimum > 0)
                CHECK(activity.speed * static_cast<double>(activity.minimum) <= 1.0 + 1e-9);
            unfair += !scene.is_held_fairly(activity);
        }
        if (seed < 300)
            CHECK(run_out(network).size() == scene.activities.size());
    }
    CHECK(unfair == 0);
}
