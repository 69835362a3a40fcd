// SPDX-License-Identifier: Apache-2.0
// Execution of a descriptor by a command queue, from its waits to its signals.
#include "core/command/command_queue.hpp"

#include <algorithm>

namespace levee {

void Operation::reset()
{
    job.activity.uses.clear();
    job.activity.remaining = 1.0; // its progress is 0 until it starts
    job.activity.speed = 0.0;
    job.activity.minimum = 0;
    job.activity.loads = false;
    job.parts = 1;
    job.milestone_every = {0, 0};
    lead = 0;
    iterations = 1;
    commit = nullptr;
    produces = nullptr;
    produces_field = 0;
    work.clear();
    stream.clear();
    stream_elements = 0;
    stored_stream.clear();
    stored_bytes = 0;
    upstream = nullptr;
    chain = Chain::Open;
}

void Operation::end_chain(Chain how)
{
    chain = how;
    chain_ended.notify(sc_core::SC_ZERO_TIME);
}

void CommandQueue::serve()
{
    for (;;) {
        while (pending_.empty() || error_.code != LEVEE_ERROR_NONE)
            sc_core::wait(submitted_);
        busy_ = true;
        serve_next();
        busy_ = false;
    }
}

void CommandQueue::serve_next()
{
    const Pending next = pending_.front();
    pending_.pop_front();
    const std::uint32_t index = taken_++;
    running_epoch_ = epoch_;
    descriptor_ = levee_descriptor{};
    whole_.clear();
    operation_.reset();
    last_read_.clear();
    notify([&](CommandObserver& o) {
        o.taken(*this, next.id, static_cast<std::uint32_t>(pending_.size()));
    });
    try {
        execute(next);
        notify([this](CommandObserver& o) { o.finished(*this, LEVEE_ERROR_NONE, false); });
        return;
    } catch (const CommandFault& fault) {
        stop(fault, index, descriptor_.tag);
        notify([&](CommandObserver& o) { o.finished(*this, fault.code, false); });
    } catch (const Dropped&) {
        notify([this](CommandObserver& o) { o.finished(*this, LEVEE_ERROR_NONE, true); });
    }
    if (operation_.upstream != nullptr) // its producer must not wait forever
        operation_.upstream->end_chain(Operation::Chain::Broken);
}

/// Waits for `event`, which a reset notifies too, so callers must test their condition again.
/// (Waiting for either of two events would allocate.)
void CommandQueue::wait_unless_reset(sc_core::sc_event& event)
{
    awaited_ = &event;
    sc_core::wait(event);
    awaited_ = nullptr;
    if (epoch_ != running_epoch_)
        throw Dropped{};
}

void CommandQueue::execute(const Pending& pending)
{
    const Picoseconds begun = now_ps();
    if (pending.fetched_at > begun)
        pass_time(pending.fetched_at - begun);
    if (epoch_ != running_epoch_)
        throw Dropped{};
    fetch(pending);
    check_head();
    await_counters();
    notify([this](CommandObserver& o) { o.ready(*this, descriptor_); });
    apply_indirect();
    prepare();
    notify([this](CommandObserver& o) {
        o.costs(*this, descriptor_, operation_.job.activity.uses, operation_.work);
    });
    drop_what_is_free();
    if (units_ != nullptr && config_.timing.work)
        operation_.job.activity.uses.push_back(
            FlowUse{units_, Direction::Read, {}, operation_.job.activity.minimum});
    const Picoseconds started = now_ps();
    waiting_ps_ += started - begun;
    notify([this](CommandObserver& o) {
        o.started(*this, descriptor_, operation_.job.activity, operation_.produces != nullptr);
    });
    run_operation();
    busy_ps_ += now_ps() - started;
    ++operations_;
    ++done_;
    if ((descriptor_.flags & LEVEE_DESC_IRQ) != 0) {
        irq_status_ |= LEVEE_CMD_IRQ_DONE;
        update_interrupt();
    }
}

void CommandQueue::prepare()
{
    if (descriptor_.opcode == LEVEE_OPCODE_FENCE)
        return;
    try {
        executor_.prepare(descriptor_, operation_);
    } catch (const CommandFault& fault) {
        throw CommandFault{fault.code, field_in_memory(fault.field)};
    }
}

void CommandQueue::await_counters()
{
    for (std::size_t i = 0; i < std::size(descriptor_.wait_counter); ++i) {
        const std::uint32_t counter = descriptor_.wait_counter[i];
        if (counter == LEVEE_NO_COUNTER)
            continue;
        while (!fabric_.sync.reached(counter, descriptor_.wait_value[i]))
            wait_unless_reset(fabric_.sync.changed(counter));
    }
}

std::uint32_t CommandQueue::read_word(std::uint64_t address, std::uint32_t field)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = sizeof(std::uint32_t);
    std::uint32_t word = 0;
    read_control(pattern, &word, field);
    return word;
}

/// Runs before the last results are written, since they may overwrite their operand.
void CommandQueue::discard_last_read()
{
    for (const AccessPattern& pattern : last_read_)
        discard(pattern);
}

void CommandQueue::produce(Operation& operation, std::uint64_t address, std::uint32_t field)
{
    operation.produces = fabric_.streams.find(address);
    operation.produces_field = field;
    if (operation.produces == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field};
}

Operation& CommandQueue::accept(StreamPort& port)
{
    Operation* offered = port.accept();
    while (offered == nullptr) {
        wait_unless_reset(port.changed());
        offered = port.accept();
    }
    operation_.upstream = offered;
    return *offered;
}

void CommandQueue::drop_what_is_free()
{
    if (!config_.timing.latency)
        operation_.lead = 0;
    if (!config_.timing.work)
        operation_.job.activity.minimum = 0;
    if (!config_.timing.streams)
        operation_.job.activity.uses.clear();
}

/// Chained operations advance as one activity, which the last consumer runs.
void CommandQueue::run_operation()
{
    committed_ = 0;
    operation_.job.parts = operation_.iterations;
    operation_.job.milestone_every = {descriptor_.signal_every[0], descriptor_.signal_every[1]};
    if (operation_.upstream != nullptr)
        join_upstream();
    if (operation_.produces != nullptr)
        run_as_producer();
    else
        run_job();
    if (before_end)
        before_end();
    discard_last_read();
    finish_iterations(operation_.iterations);
    if (operation_.upstream != nullptr)
        operation_.upstream->end_chain(Operation::Chain::Done);
}

void CommandQueue::run_job()
{
    pass_time(operation_.lead);
    fabric_.engine.start(operation_.job);
    sc_core::wait(operation_.job.done);
}

void CommandQueue::join_upstream()
{
    Activity& own = operation_.job.activity;
    const Activity& before = operation_.upstream->job.activity;
    own.uses.insert(own.uses.end(), before.uses.begin(), before.uses.end());
    own.loads = before.minimum > own.minimum ? before.loads : own.loads;
    own.minimum = std::max(own.minimum, before.minimum);
    operation_.lead += operation_.upstream->lead;
}

/// A reset withdraws an offer; an operation already accepted runs to its end like any other.
void CommandQueue::run_as_producer()
{
    Operation& own = operation_;
    StreamPort& port = *own.produces;
    const std::uint64_t bytes = config_.timing.work ? own.streamed_bytes() : 0;
    own.job.activity.uses.push_back(FlowUse{&port, Direction::Write, {}, bytes});
    own.lead += config_.timing.latency ? port.config().fill : 0;
    while (!port.offer(own))
        wait_unless_reset(port.changed());
    while (own.chain == Operation::Chain::Open) {
        awaited_ = &own.chain_ended;
        sc_core::wait(own.chain_ended);
        awaited_ = nullptr;
        if (epoch_ != running_epoch_ && port.withdraw(own))
            throw Dropped{};
    }
    if (own.chain == Operation::Chain::Broken)
        throw CommandFault{LEVEE_ERROR_STREAM, field_in_memory(own.produces_field)};
}

void CommandQueue::finish_iterations(std::uint32_t reached)
{
    if (operation_.commit && reached > committed_)
        operation_.commit(committed_, reached);
    if (reached == operation_.iterations)
        port_.await_writes();
    Job& job = operation_.job;
    job.reached = committed_;
    for (auto next = job.next_milestone(); next && *next < reached; next = job.next_milestone())
        signal(job.reached = *next);
    job.reached = committed_ = reached;
    signal(reached);
}

void CommandQueue::signal(std::uint32_t reached)
{
    const bool last = reached == operation_.iterations;
    for (std::size_t i = 0; i < std::size(descriptor_.signal_counter); ++i) {
        const std::uint32_t every = descriptor_.signal_every[i];
        const bool due = last || (every != 0 && reached % every == 0);
        const std::uint8_t counter = descriptor_.signal_counter[i];
        if (counter == LEVEE_NO_COUNTER || !due)
            continue;
        fabric_.sync.add(counter, descriptor_.signal_add[i]);
        notify([&](CommandObserver& o) { o.signalled(*this, counter); });
    }
}

} // namespace levee
