// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/counter_use.hpp"

#include "ip/sync/regs.h"

#include <cstring>
#include <utility>

namespace levee::checks {

namespace {

/// The largest increase that counts as an addition. A larger increase means that the program sets a
/// new value.
constexpr std::uint32_t most_added = 0xFFFF;

} // namespace

CounterUse::CounterUse(const Context& context, const std::deque<QueueWatch>& queues,
                       Findings& findings)
    : context_(context), queues_(queues), findings_(findings),
      core_(index_of_initiator(context.system, "core"))
{
    for (std::size_t i = 0; i < context.plan.components.size(); ++i)
        if (SyncCounters* const unit = context.system.components()[i].counters; unit != nullptr) {
            unit_ = context.plan.components[i].name;
            while (unit->has(static_cast<std::uint32_t>(counters_.size())))
                counters_.emplace_back();
            unit->observe([this, unit](std::uint32_t counter) {
                Counter& changed = counters_[counter];
                changed.before = std::exchange(changed.now, unit->value(counter));
            });
        }
    context.system.bus().observe(*this);
}

void CounterUse::passed(const bus::Transaction& transaction)
{
    const bus::Mapping* const window = transaction.window;
    if (transaction.initiator != core_ || window == nullptr || window->owner() != unit_ ||
        !transaction.payload->is_response_ok())
        return;
    const auto offset =
        static_cast<std::uint32_t>(transaction.payload->get_address() - window->base);
    const std::uint32_t number = (offset - LEVEE_SYNC_VALUE(0)) / sizeof(std::uint32_t);
    if (offset < LEVEE_SYNC_VALUE(0) || number >= counters_.size())
        return;
    std::uint32_t value = 0;
    std::memcpy(&value, transaction.payload->get_data_ptr(), sizeof value);
    if (transaction.payload->is_write())
        set(number, value);
    else
        counters_[number].read = value;
}

/// Returns a text such as "rsa's GEMM, tag 7"; empty if no operation will add to the counter.
std::string CounterUse::adding(std::uint32_t counter) const
{
    for (const QueueWatch& queue : queues_)
        if (const auto descriptor = queue.adding_to(counter))
            return queue.name() + "'s " + operation_of(queue.declaration(), *descriptor);
    return "";
}

void CounterUse::set(std::uint32_t number, std::uint32_t value)
{
    Counter& counter = counters_[number];
    const auto read = std::exchange(counter.read, std::nullopt);
    if (!read || counter.reported || value == *read || value - *read > most_added)
        return;
    const std::uint32_t lost = counter.before - *read;
    const std::string who = adding(number);
    if (lost == 0 && who.empty())
        return;
    counter.reported = true;
    const riscv::Hart& hart = context_.system.core().hart();
    findings_.report(
        "core",
        "sets counter " + std::to_string(number) + " to " + std::to_string(value) +
            " after it has read " + std::to_string(*read) + ": " +
            (lost != 0
                 ? "the " + std::to_string(lost) + " that operations have added since then is lost"
                 : "an addition by " + who +
                       ", between the two accesses would be lost, although none was lost here") +
            " (use sync_add() instead); pc " + context_.place(hart.access_pc()) + ", ra " +
            context_.place(hart.reg(ra)),
        context_.core_ps());
}

} // namespace levee::checks
