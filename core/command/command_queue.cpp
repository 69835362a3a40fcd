// SPDX-License-Identifier: Apache-2.0
#include "core/command/command_queue.hpp"

namespace levee {

CommandQueue::CommandQueue(const sc_core::sc_module_name& name, const CommandQueueConfig& config,
                           const Declaration& declaration, Executor& executor, Fabric fabric)
    : sc_module(name), MemoryAccess(this->name(), fabric.data), OperandStreams(*this, executor),
      StreamChain(fabric.streams, config.timing, submissions_),
      DecisionLog(this->name(), fabric.decisions, *this, current_), registers("registers"),
      config_(config), declaration_(declaration), executor_(executor), engine_(fabric.engine),
      sync_(fabric.sync), observers_(*this),
      submissions_({declaration.number, config.depth, config.fetch_time()}, register_file_,
                   observers_, on_interrupt),
      current_(declaration, *this, submissions_, observers_, config.fetch_time())
{
    registers.register_b_transport(this, &CommandQueue::transport);
    registers.register_transport_dbg(this, &CommandQueue::transport_debug);
    operation_.job.on_milestone = [this](std::uint32_t reached) { finish_iterations(reached); };
    SC_THREAD(serve);
}

void CommandQueue::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    register_file_.transport(payload);
    delay += sc_core::sc_time::from_value(config_.register_latency);
}

unsigned CommandQueue::transport_debug(tlm::tlm_generic_payload& payload)
{
    return register_file_.transport_debug(payload);
}

void CommandQueue::serve()
{
    for (;;)
        serve_next();
}

void CommandQueue::serve_next()
{
    const Submissions::Pending next = submissions_.take();
    current_.clear();
    operation_.reset();
    begin_chain();
    observers_.notify(&CommandObserver::taken, next.id,
                      static_cast<std::uint32_t>(submissions_.waiting().size()));
    try {
        execute(next);
        observers_.notify(&CommandObserver::finished, LEVEE_ERROR_NONE, false);
        return;
    } catch (const CommandFault& fault) {
        submissions_.stop({fault.code, current_.field_in_memory(fault.field)}, current_.get().tag);
        observers_.notify(&CommandObserver::finished, fault.code, false);
    } catch (const Submissions::Dropped&) {
        observers_.notify(&CommandObserver::finished, LEVEE_ERROR_NONE, true);
    }
    end_chain(Operation::Chain::Broken); // Otherwise the producer would wait forever.
}

void CommandQueue::execute(const Submissions::Pending& pending)
{
    const levee_descriptor& descriptor = current_.get();
    const Picoseconds begun = now_ps();
    if (pending.fetched_at > begun)
        pass_time(pending.fetched_at - begun);
    submissions_.need_no_reset();
    current_.fetch(pending.address);
    current_.check_head(sync_);
    await_counters();
    observers_.notify(&CommandObserver::ready, descriptor);
    current_.apply_indirect();
    prepare();
    const Picoseconds started = now_ps();
    waiting_ps_ += started - begun;
    observers_.notify(&CommandObserver::started, descriptor, operation_.job.activity,
                      operation_.produces != nullptr);
    run_operation();
    busy_ps_ += now_ps() - started;
    count_operation();
    submissions_.done((descriptor.flags & LEVEE_DESC_IRQ) != 0);
}

void CommandQueue::await_counters()
{
    const levee_descriptor& descriptor = current_.get();
    for (std::size_t i = 0; i < std::size(descriptor.wait_counter); ++i) {
        const std::uint32_t counter = descriptor.wait_counter[i];
        if (counter == LEVEE_NO_COUNTER)
            continue;
        while (!sync_.reached(counter, descriptor.wait_value[i]))
            submissions_.wait(sync_.changed(counter));
    }
}

void CommandQueue::prepare()
{
    const levee_descriptor& descriptor = current_.get();
    begin_streams(descriptor.flags);
    if (descriptor.opcode != LEVEE_OPCODE_FENCE)
        executor_.prepare(descriptor, operation_);
    observers_.notify(&CommandObserver::costs, descriptor, operation_.job.activity.uses,
                      operation_.work);
    drop_what_is_free();
    if (units_ != nullptr && config_.timing.work)
        operation_.job.activity.uses.push_back(
            FlowUse{units_, Direction::Read, {}, operation_.job.activity.minimum});
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

void CommandQueue::run_operation()
{
    const levee_descriptor& descriptor = current_.get();
    committed_ = 0;
    operation_.job.parts = operation_.iterations;
    operation_.job.milestone_every = {descriptor.signal_every[0], descriptor.signal_every[1]};
    join_upstream(operation_);
    if (operation_.produces != nullptr)
        run_as_producer(operation_);
    else
        run_job();
    if (before_end)
        before_end();
    discard_last_read();
    finish_iterations(operation_.iterations);
    end_chain(Operation::Chain::Done);
}

void CommandQueue::run_job()
{
    pass_time(operation_.lead);
    engine_.start(operation_.job);
    sc_core::wait(operation_.job.done);
}

void CommandQueue::finish_iterations(std::uint32_t reached)
{
    if (operation_.commit && reached > committed_)
        operation_.commit(committed_, reached);
    if (reached == operation_.iterations)
        await_writes();
    Job& job = operation_.job;
    job.reached = committed_;
    for (auto next = job.next_milestone(); next && *next < reached; next = job.next_milestone())
        signal(job.reached = *next);
    job.reached = committed_ = reached;
    signal(reached);
}

void CommandQueue::signal(std::uint32_t reached)
{
    const levee_descriptor& descriptor = current_.get();
    const bool last = reached == operation_.iterations;
    for (std::size_t i = 0; i < std::size(descriptor.signal_counter); ++i) {
        const std::uint32_t every = descriptor.signal_every[i];
        const bool due = last || (every != 0 && reached % every == 0);
        const std::uint8_t counter = descriptor.signal_counter[i];
        if (counter == LEVEE_NO_COUNTER || !due)
            continue;
        sync_.add(counter, descriptor.signal_add[i]);
        observers_.notify(&CommandObserver::signalled, counter);
    }
}

void CommandQueue::report(Stats& stats) const
{
    stats.add("operations", operations());
    stats.add("busy_seconds", seconds(busy_ps_));
    stats.add("waiting_seconds", seconds(waiting_ps_));
}

} // namespace levee
