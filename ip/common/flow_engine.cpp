#include "ip/common/flow_engine.hpp"

#include <algorithm>

namespace levee {

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
    settle(now); // what is complete at this instant shares nothing with the newcomer
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
        while (job->reached + 1 < job->milestones &&
               FlowNetwork::reaches(job->activity,
                                    static_cast<double>(job->reached + 1) / job->milestones) <= now)
            job->on_milestone(++job->reached);
    network_.finish_due(now, [this](Activity& activity) {
        const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                      [&](const Job* j) { return &j->activity == &activity; });
        (*job)->done.notify(sc_core::SC_ZERO_TIME);
        jobs_.erase(job);
    });
}

void FlowEngine::schedule(Picoseconds now)
{
    Picoseconds next = network_.next_completion();
    for (const Job* job : jobs_)
        if (job->reached + 1 < job->milestones)
            next = std::min(
                next, FlowNetwork::reaches(job->activity, static_cast<double>(job->reached + 1) /
                                                              job->milestones));
    next_.cancel();
    if (!jobs_.empty())
        next_.notify(sc_core::sc_time::from_value(next > now ? next - now : 0));
}

} // namespace levee
