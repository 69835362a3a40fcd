// SPDX-License-Identifier: Apache-2.0
// Whom a block's waits are booked to.
#include "platform/observe/bounds/block_watch.hpp"
#include "test/unit/fabric/two_engines.hpp"

#include <map>

namespace {

using namespace levee;
using namespace levee::test;
using bounds::BlockWatch;

constexpr unsigned go = 0, ready = 1; // counters

/// Two engines and their watches.
struct Watching : TwoEngines {
    bounds::TimeBook book;
    bounds::CoreWatch core_watch;
    SystemPlan plan;
    bounds::Resources resources{plan, book};
    bounds::Watched watched{book, core_watch, sync, resources, {}, 0, [](Picoseconds) {}};
    BlockWatch rsa{"rsa", first.queue, watched}, dma{"dma", second.queue, watched};

    Watching() { watched.blocks = {&rsa, &dma}; }

    /// The waits of "rsa", in picoseconds by cause.
    std::map<std::string, Picoseconds> waits()
    {
        rsa.finish(now_ps());
        std::map<std::string, Picoseconds> found;
        for (const bounds::Cause& cause : rsa.causes())
            if (cause.name.find("wait_") == 0)
                found[cause.name] = bounds::TimeBook::value(book.cells(), cause.row, book.phase());
        return found;
    }
    /// "dma" signals `number` after roughly 10 us.
    void signal_late(std::uint8_t number)
    {
        constexpr std::uint32_t bytes = 10 * memory_rate / 1'000'000;
        levee_descriptor late = fill(take(bytes), 1, 1, bytes);
        signal(late, 0, number, 1);
        submit(1, {late});
    }
};

bool is_about(Picoseconds time, double microseconds)
{
    INFO(time << " ps, expected " << microseconds << " us");
    const bool is = std::abs(static_cast<double>(time) / 1e6 - microseconds) < 0.2;
    CHECK(is);
    return is;
}

} // namespace

TEST_CASE("of two waits, that for the core's counter is the core's and the rest the block's")
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

TEST_CASE("the core's write to a counter that a block has signalled before ends the wait")
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

TEST_CASE("writes of the core that end no wait book nothing to it")
{
    Watching system;
    system.run([&] {
        levee_descriptor waiting = fill(system.take(64), 1);
        wait_on(waiting, 0, ready, 1);
        wait_on(waiting, 1, go, 1);
        system.signal_late(ready);
        system.submit(0, {waiting});
        sc_core::wait(1, sc_core::SC_US);
        system.add(go, 1); // the block waits for the other counter
        system.wait_for(ready, 1);
        CHECK(system.settle(0));
    });
    const auto waits = system.waits();
    CHECK(waits.size() == 1);
    is_about(waits.at("wait_dma"), 10.0);
}
