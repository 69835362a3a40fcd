// SPDX-License-Identifier: Apache-2.0
#include "test/unit/command/parts.hpp"

using namespace levee;
using namespace levee::test;

namespace {

/// One end of a chain of streams, with its own submissions.
struct End : StreamChain {
    using StreamChain::begin_chain;
    using StreamChain::end_chain;
    using StreamChain::join_upstream;
    using StreamChain::run_as_producer;

    explicit End(Parts& parts)
        : StreamChain(parts.streams, Timing{}, submissions),
          submissions({}, file, parts.observers, none)
    {
    }

    std::function<void(bool)> none;
    RegisterFile file;
    Submissions submissions;
};

} // namespace

TEST_CASE("an operation produces only for a port that exists")
{
    Parts parts;
    End end(parts);
    parts.run([&] {
        Operation operation;
        end.produce(operation, LEVEE_STREAM(0), 0x40);
        CHECK(operation.produces == parts.streams.find(LEVEE_STREAM(0)));
        CHECK(operation.produces_field == 0x40);
        CHECK(fault_of([&] { end.produce(operation, LEVEE_STREAM(1), 0x48); }) ==
              fault(LEVEE_ERROR_STREAM, 0x48));
    });
}

TEST_CASE("producer and consumer are one activity, which ends for both")
{
    Parts parts;
    End producer(parts), consumer(parts);
    parts.run([&] {
        Operation from, to;
        from.stream.assign(8, 1.0f);
        from.lead = 3'000;
        from.job.activity.minimum = 50'000;
        to.job.activity.minimum = 20'000;
        std::string ended;
        sc_core::sc_spawn([&] {
            producer.produce(from, LEVEE_STREAM(0), 0x40);
            ended = fault_of([&] { producer.run_as_producer(from); });
            ended += " at " + std::to_string(now_ps());
        });
        consumer.begin_chain();
        Operation& offered = consumer.accept(*parts.streams.find(LEVEE_STREAM(0)));
        CHECK(&offered == &from);
        consumer.join_upstream(to);
        CHECK(to.job.activity.minimum == 50'000);
        CHECK(to.lead == 3'000 + 7'000); // The port's fill time is 7'000.
        REQUIRE(to.job.activity.uses.size() == 1);
        CHECK(to.job.activity.uses[0].bytes == 8 * sizeof(float));
        sc_core::wait(9, sc_core::SC_NS);
        CHECK(ended.empty());
        const std::string now = std::to_string(now_ps());
        consumer.end_chain(Operation::Chain::Done);
        sc_core::wait(1, sc_core::SC_NS);
        CHECK(ended == " at " + now);
        Operation alone;
        consumer.begin_chain();
        consumer.join_upstream(alone);
        CHECK(alone.job.activity.uses.empty());
        consumer.end_chain(Operation::Chain::Done); // No producer uses this port.
    });
}

TEST_CASE("a chain that the consumer breaks is a fault of the producer's port")
{
    Parts parts;
    End producer(parts), consumer(parts);
    parts.run([&] {
        Operation from;
        std::string ended;
        sc_core::sc_spawn([&] {
            producer.produce(from, LEVEE_STREAM(0), 0x40);
            ended = fault_of([&] { producer.run_as_producer(from); });
        });
        consumer.begin_chain();
        (void)consumer.accept(*parts.streams.find(LEVEE_STREAM(0)));
        consumer.end_chain(Operation::Chain::Broken);
        sc_core::wait(1, sc_core::SC_NS);
        CHECK(ended == fault(LEVEE_ERROR_STREAM, 0x40));
    });
}
