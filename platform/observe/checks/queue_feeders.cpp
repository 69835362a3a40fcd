// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/queue_feeders.hpp"

#include "core/units/clock.hpp"
#include "ip/riscv/csr.hpp"
#include "ip/sync/regs.h"
#include "ip/uart/regs.h"

#include <algorithm>

namespace levee::checks {

namespace {

const std::string timer_source = "the timer", software_source = "software", uart_source = "uart";

} // namespace

QueueFeeders::QueueFeeders(const Context& context, std::deque<QueueWatch>& queues,
                           Findings& findings)
    : context_(context), findings_(findings)
{
    for (QueueWatch& watch : queues) {
        queues_.push_back({&watch});
        watch.queue().observe(*this);
    }
    context.system.observe_interrupts(
        [this](const std::string& source, riscv::Plic::Request request) {
            if (request == riscv::Plic::Request::Claimed)
                source_ = source;
        });
}

void QueueFeeders::interrupted(riscv::Interrupt interrupt)
{
    source_ = interrupt == riscv::Interrupt::timer      ? timer_source
              : interrupt == riscv::Interrupt::software ? software_source
                                                        : "";
}

bool QueueFeeders::is_enabled(riscv::Interrupt interrupt) const
{
    riscv::Hart& hart = context_.system.core().hart();
    return (hart.read_csr(riscv::csr_number::mie).value_or(0) >>
                static_cast<std::uint32_t>(interrupt) &
            1u) != 0;
}

/// Sources that may interrupt the core now: of a queue's completion and of a counter that reaches
/// its value, if operations of earlier doorbells are outstanding.
std::set<std::string> QueueFeeders::possible() const
{
    std::set<std::string> sources;
    if (is_enabled(riscv::Interrupt::timer))
        sources.insert(timer_source);
    if (is_enabled(riscv::Interrupt::software))
        sources.insert(software_source);
    if (!is_enabled(riscv::Interrupt::external))
        return sources;
    bool any = false;
    for (const Fed& fed : queues_) {
        const QueueWatch::Outstanding outstanding = fed.watch->outstanding();
        any = any || outstanding.any;
        if (outstanding.raises)
            sources.insert(fed.watch->name());
    }
    for (std::size_t i = 0; i < context_.plan.components.size(); ++i) {
        const Component& component = context_.system.components()[i];
        if (component.counters != nullptr && any &&
            peek(*component.register_file, LEVEE_SYNC_IRQ_ENABLE) != 0)
            sources.insert(context_.plan.components[i].name);
    }
    if (peek(context_.system.uart().register_file(), LEVEE_UART_IER) != 0)
        sources.insert(uart_source);
    return sources;
}

void QueueFeeders::submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t)
{
    Fed& fed = *std::ranges::find_if(
        queues_, [&queue](const Fed& each) { return &each.watch->queue() == &queue; });
    riscv::Hart& hart = context_.system.core().hart();
    if (fed.reported || fed.latest_ps == now_ps())
        return; // further descriptors of one doorbell
    fed.latest_ps = now_ps();
    const bool masked = (hart.read_csr(riscv::csr_number::mstatus).value_or(0) & mstatus_mie) == 0;
    if (hart.handles_interrupt())
        fed.handled.emplace(source_, fed.watch->here());
    else if (!masked)
        for (const std::string& source : possible())
            fed.open.emplace(source, fed.watch->here());
    report(fed);
}

void QueueFeeders::report(Fed& fed)
{
    for (const auto& [source, outside] : fed.open) {
        const auto inside = fed.handled.find(source);
        if (inside == fed.handled.end())
            continue;
        fed.reported = true;
        const bool named = source == timer_source || source == software_source;
        findings_.report(fed.watch->name(),
                         "its queue is fed with interrupts enabled (" + fed.watch->from(outside) +
                             ") and by the handler of " +
                             (named ? source : source + "'s interrupt") + " (" +
                             fed.watch->from(inside->second) +
                             "): the handler may come between the other's address and doorbell, "
                             "which then submits "
                             "the wrong descriptors (mask mstatus.MIE around it, or feed the queue "
                             "from one place)",
                         now_ps());
        return;
    }
}

} // namespace levee::checks
