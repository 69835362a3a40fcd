// SPDX-License-Identifier: Apache-2.0
#include "core/flow/flow_engine.hpp"

#include <algorithm>

namespace levee {

namespace {

Picoseconds time_of(const Job& job, std::uint32_t part)
{
    return FlowNetwork::reaches(job.activity, static_cast<double>(part) / job.parts);
}

} // namespace

std::optional<std::uint32_t> Job::next_milestone() const
{
    std::uint64_t next = parts;
    for (const std::uint64_t every : milestone_every)
        if (every > 0)
            next = std::min(next, (reached / every + 1) * every);
    if (next >= parts)
        return std::nullopt;
    return static_cast<std::uint32_t>(next);
}

void pass_time(Picoseconds time)
{
    if (time > 0)
        sc_core::wait(sc_core::sc_time::from_value(time));
}

Picoseconds now_ps()
{
    // The kernel's resolution stays at its default, 1 ps.
    return sc_core::sc_time_stamp().value();
}

FlowEngine::FlowEngine(const sc_core::sc_module_name& name) : sc_module(name)
{
    SC_METHOD(wake);
    sensitive << next_;
    dont_initialize();
}

void FlowEngine::start(Job& job)
{
    const Picoseconds now = now_ps();
    settle(now); // Activities that end at this instant do not share resources with the new one.
    job.reached = 0;
    jobs_.push_back(&job);
    network_.start(job.activity, now);
    schedule(now);
}

void FlowEngine::wake()
{
    const Picoseconds now = now_ps();
    settle(now);
    schedule(now);
}

void FlowEngine::settle(Picoseconds now)
{
    for (Job* job : jobs_)
        for (auto next = job->next_milestone(); next && time_of(*job, *next) <= now;
             next = job->next_milestone()) {
            job->reached = *next;
            job->on_milestone(*next);
        }
    network_.finish_due(now, [this](Activity& activity) {
        const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                      [&](const Job* j) { return &j->activity == &activity; });
        (*job)->done.notify(sc_core::SC_ZERO_TIME);
        jobs_.erase(job);
    });
}

void FlowEngine::schedule(Picoseconds now)
{
    for (FlowObserver* observer : observers_)
        observer->shared(now, network_.running());
    Picoseconds next = network_.next_event();
    for (const Job* job : jobs_)
        if (const auto milestone = job->next_milestone())
            next = std::min(next, time_of(*job, *milestone));
    next_.cancel();
    if (!jobs_.empty())
        next_.notify(sc_core::sc_time::from_value(next > now ? next - now : 0));
}

} // namespace levee
