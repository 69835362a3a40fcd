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

bool QueueFeeders::any_outstanding() const
{
    return std::ranges::any_of(queues_,
                               [](const Fed& fed) { return fed.watch->has_outstanding(); });
}

/// Calls visit(name) for each source that may interrupt the core now. The timer, software
/// interrupts and the UART may do so whenever they are enabled. A queue or the sync unit can do so
/// only while operations of earlier doorbells are outstanding.
void QueueFeeders::for_each_possible(auto visit) const
{
    if (is_enabled(riscv::Interrupt::timer))
        visit(timer_source);
    if (is_enabled(riscv::Interrupt::software))
        visit(software_source);
    if (!is_enabled(riscv::Interrupt::external))
        return;
    for (const Fed& fed : queues_)
        if (fed.watch->may_interrupt())
            visit(fed.watch->name());
    for (std::size_t i = 0; i < context_.plan.components.size(); ++i) {
        const Component& component = context_.system.components()[i];
        if (component.counters != nullptr &&
            peek(*component.register_file, LEVEE_SYNC_IRQ_ENABLE) != 0 && any_outstanding())
            visit(context_.plan.components[i].name);
    }
    if (peek(context_.system.uart().register_file(), LEVEE_UART_IER) != 0)
        visit(uart_source);
}

void QueueFeeders::submitted(const CommandQueue& queue, std::uint64_t, std::uint32_t)
{
    Fed& fed = *std::ranges::find_if(
        queues_, [&queue](const Fed& each) { return &each.watch->queue() == &queue; });
    riscv::Hart& hart = context_.system.core().hart();
    if (fed.reported || fed.latest_ps == now_ps())
        return; // already handled: another descriptor of the same doorbell
    fed.latest_ps = now_ps();
    const bool masked = (hart.read_csr(riscv::csr_number::mstatus).value_or(0) & mstatus_mie) == 0;
    if (hart.handles_interrupt())
        fed.handled.emplace(source_, fed.watch->here());
    else if (!masked)
        for_each_possible(
            [&fed](const std::string& source) { fed.open.try_emplace(source, fed.watch->here()); });
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
        findings_.report(
            fed.watch->name(),
            "its queue receives descriptors with interrupts enabled (" + fed.watch->from(outside) +
                ") and from the handler of " + (named ? source : source + "'s interrupt") + " (" +
                fed.watch->from(inside->second) +
                "): the handler may run between the other code's writes of the address and the "
                "doorbell, "
                "so the wrong descriptors are submitted (clear mstatus.MIE around both writes, or "
                "submit from only one place)",
            now_ps());
        return;
    }
}

} // namespace levee::checks
