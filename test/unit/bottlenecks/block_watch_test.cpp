// SPDX-License-Identifier: Apache-2.0
// Tests the attribution of a block's waits: to the core, or to the block that ends the wait.
#include "core/flow/flow_observer.hpp"
#include "platform/observe/bottlenecks/block_watch.hpp"
#include "test/unit/blocks/two_engines.hpp"

#include <map>

namespace {

using namespace levee;
using namespace levee::test;
using bottlenecks::BlockWatch;

constexpr unsigned go = 0, ready = 1; // numbers of the sync counters

/// Returns the block's waiting times in picoseconds, by cause.
std::map<std::string, Picoseconds> waits_of(BlockWatch& block, const bottlenecks::TimeBook& book)
{
    block.finish(now_ps());
    std::map<std::string, Picoseconds> found;
    for (const bottlenecks::Cause& cause : block.causes())
        if (cause.name.find("wait_") == 0)
            found[cause.name] = bottlenecks::TimeBook::value(book.cells(), cause.row, book.phase());
    return found;
}

struct Watching : TwoEngines {
    bottlenecks::TimeBook book;
    bottlenecks::CoreWatch core_watch;
    SystemPlan plan;
    bottlenecks::Resources resources{plan, book};
    bottlenecks::Watched watched{book, core_watch, sync, resources, {}, 0, [](Picoseconds) {}};
    BlockWatch rsa{"rsa", first.queue, watched}, dma{"dma", second.queue, watched};

    Watching() { watched.blocks = {&rsa, &dma}; }

    std::map<std::string, Picoseconds> waits() { return waits_of(rsa, book); }
    /// Makes the block "dma" signal the counter `number` after roughly 10 us.
    void signal_late(std::uint8_t number)
    {
        constexpr std::uint32_t bytes = 10 * memory_rate / 1'000'000;
        levee_descriptor late = fill(take(bytes), 1, 1, bytes);
        signal(late, 0, number, 1);
        submit(1, {late});
    }
};

/// A block that reads from one stream port and writes to another. The first block has no input
/// port, the last no output.
struct Link : Executor {
    static constexpr Declaration declaration{.type = "link"};
    CommandQueue queue;
    StreamPort *from, *to;
    Picoseconds minimum = 1'000'000;

    Link(const char* name, const Fabric& fabric, StreamPort* from_, StreamPort* to_)
        : queue(name, queue_config, declaration, *this, fabric), from(from_), to(to_)
    {
    }
    void prepare(const levee_descriptor&, Operation& operation) override
    {
        operation.job.activity.minimum = minimum;
        if (from != nullptr)
            (void)queue.accept(*from);
        operation.produces = to;
        operation.stream_elements = to != nullptr ? 64 : 0;
    }
};

bool is_about(Picoseconds time, double microseconds)
{
    INFO(time << " ps, expected " << microseconds << " us");
    const bool is = std::abs(static_cast<double>(time) / 1e6 - microseconds) < 0.2;
    CHECK(is);
    return is;
}

/// Three blocks in a row, with a stream port from each to the next.
struct Chain : Bench, FlowObserver {
    StreamPort *one = streams.find(LEVEE_STREAM(0)), *two = streams.find(LEVEE_STREAM(1));
    Link a{"a", fabric, nullptr, one}, b{"b", fabric, one, two}, c{"c", fabric, two, nullptr};
    bottlenecks::TimeBook book;
    bottlenecks::CoreWatch core_watch;
    SystemPlan plan;
    bottlenecks::Resources resources{plan, book};
    bottlenecks::Watched watched{book, core_watch, sync, resources, {}, 0, [](Picoseconds) {}};
    BlockWatch wa{"a", a.queue, watched}, wb{"b", b.queue, watched}, wc{"c", c.queue, watched};

    Chain() : Bench("bench", {{"one", memory_rate, 0}, {"two", memory_rate, 0}})
    {
        for (Link* link : {&a, &b, &c})
            connect(link->queue);
        watched.blocks = {&wa, &wb, &wc};
        flows.observe(*this);
    }
    void shared(Picoseconds now, std::span<Activity* const> running) override
    {
        for (BlockWatch* block : watched.blocks)
            block->shared(now, running);
    }
};

} // namespace

TEST_CASE("a wait for the core's counter is charged to the core, the other wait to the block")
{
    Watching system;
    system.run([&] {
        levee_descriptor waiting = fill(system.take(64), 1);
        wait_on(waiting, 0, go, 1);
        wait_on(waiting, 1, ready, 1);
        system.signal_late(ready);
        system.submit(0, {waiting});
        sc_core::wait(1, sc_core::SC_US);
        system.add(go, 1);
        system.wait_for(ready, 1);
        CHECK(system.settle(0));
    });
    const auto waits = system.waits();
    CHECK(waits.size() == 2);
    is_about(waits.at("wait_core"), 1.0);
    is_about(waits.at("wait_dma"), 9.0);
}

TEST_CASE("a wait that the core's write ends is the block's until its signal, then the core's")
{
    Watching system;
    system.run([&] {
        levee_descriptor waiting = fill(system.take(64), 1);
        wait_on(waiting, 0, ready, 2);
        system.signal_late(ready);
        system.submit(0, {waiting});
        system.wait_for(ready, 1);
        sc_core::wait(5, sc_core::SC_US);
        system.add(ready, 1);
        CHECK(system.settle(0));
    });
    const auto waits = system.waits();
    is_about(waits.at("wait_dma"), 10.0);
    is_about(waits.at("wait_core"), 5.0);
}

TEST_CASE("writes of the core that end no wait are charged no waiting time")
{
    Watching system;
    system.run([&] {
        levee_descriptor waiting = fill(system.take(64), 1);
        wait_on(waiting, 0, ready, 1);
        wait_on(waiting, 1, go, 1);
        system.signal_late(ready);
        system.submit(0, {waiting});
        sc_core::wait(1, sc_core::SC_US);
        system.add(go, 1); // The block waits for the other counter.
        system.wait_for(ready, 1);
        CHECK(system.settle(0));
    });
    const auto waits = system.waits();
    CHECK(waits.size() == 1);
    is_about(waits.at("wait_dma"), 10.0);
}

TEST_CASE("no time is booked twice if a phase begins later than the next event")
{
    Watching system;
    system.run([&] {
        for (unsigned ns = 0; ns < 150; ++ns) {
            const std::vector<std::uint64_t> before = system.book.cells();
            const Picoseconds began = now_ps();
            system.submit(0, {fill(system.take(64), 1)});
            sc_core::wait(ns, sc_core::SC_NS);
            // The phase begins after the program's bus access.
            const Picoseconds begins = now_ps() + 4'000;
            system.rsa.settle(begins);
            system.watched.settled = begins;
            system.book.set_phase(ns % 2 == 0 ? LEVEE_PHASE_DECODE : LEVEE_PHASE_PREFILL);
            CHECK(system.settle(0));
            sc_core::wait(5, sc_core::SC_NS);
            system.rsa.settle(now_ps());
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < before.size(); ++i) {
                const std::uint64_t time = system.book.cells()[i] - before[i];
                CHECK(time <= now_ps() - began);
                sum += time;
            }
            CHECK(sum == now_ps() - began);
        }
    });
}

TEST_CASE("in a chain of three, each waits for its direct producer")
{
    Chain chain;
    chain.run([&] {
        const levee_descriptor link = describe(1, levee_dma_operation{});
        chain.submit(1, {link});
        chain.submit(2, {link});
        sc_core::wait(5, sc_core::SC_US);
        chain.submit(0, {link}); // The first block's work is submitted late.
        for (unsigned block = 0; block < 3; ++block)
            CHECK(chain.settle(block));
    });
    is_about(waits_of(chain.wb, chain.book)["wait_a"], 5.0);
    is_about(waits_of(chain.wc, chain.book)["wait_b"], 5.0);
    CHECK(waits_of(chain.wb, chain.book).size() == 1);
    CHECK(waits_of(chain.wc, chain.book).size() == 1);
}

/// The slowest of three blocks in a chain sets the pace, and the others wait for it.
static void check_paced_by(unsigned slow)
{
    Chain chain;
    Link* const links[] = {&chain.a, &chain.b, &chain.c};
    BlockWatch* const watches[] = {&chain.wa, &chain.wb, &chain.wc};
    links[slow]->minimum = 4'000'000;
    chain.run([&] {
        const levee_descriptor link = describe(1, levee_dma_operation{});
        for (unsigned block = 0; block < 3; ++block)
            chain.submit(block, {link});
        for (unsigned block = 0; block < 3; ++block)
            CHECK(chain.settle(block));
    });
    const std::string wait = "wait_" + watches[slow]->name();
    for (BlockWatch* watch : watches) {
        auto waits = waits_of(*watch, chain.book);
        const Picoseconds paced =
            bottlenecks::TimeBook::value(chain.book.cells(), watch->pace().row, chain.book.phase());
        is_about(paced, watch == watches[slow] ? 4.0 : 0.0);
        is_about(waits[wait], watch == watches[slow] ? 0.0 : 4.0);
    }
}

TEST_CASE("the first block paces a chain if it takes longest, and the others wait for it")
{
    check_paced_by(0);
}

TEST_CASE("the middle block paces a chain if it takes longest, and the others wait for it")
{
    check_paced_by(1);
}

TEST_CASE("the last block paces a chain if it takes longest, and the others wait for it")
{
    check_paced_by(2);
}
