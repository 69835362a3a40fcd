// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/wait_history.hpp"

#include "core/units/clock.hpp"
#include "ip/riscv/csr.hpp"
#include "ip/sync/regs.h"

namespace levee::checks {

WaitHistory::WaitHistory(const Context& context) : context_(context)
{
    for (std::size_t i = 0; i < context.plan.components.size(); ++i)
        if (Component& component = context.system.components()[i]; component.counters != nullptr) {
            counters_ = component.counters;
            unit_ = context.plan.components[i].name;
            while (counters_->has(static_cast<std::uint32_t>(values_.size())))
                values_.push_back(0);
            lowered_.resize(values_.size());
            component.counters->observe([this](std::uint32_t counter) { changed(counter); });
        }
    context.system.bus().observe(*this);
    context.system.observe_interrupts(
        [this](const std::string& source, riscv::Plic::Request request) {
            requested(source, request);
        });
}

/// Records when a counter was lowered. Counters wrap around, so values are compared in the same way
/// as for a wait.
void WaitHistory::changed(std::uint32_t counter)
{
    latest_ = nullptr;
    const std::uint32_t from = std::exchange(values_[counter], counters_->value(counter));
    if (static_cast<std::int32_t>(values_[counter] - from) >= 0)
        return;
    lowered_[counter] = {counter, from, values_[counter], now_ps(), "a debugger or script"};
    latest_ = &*lowered_[counter];
}

std::optional<std::uint32_t> WaitHistory::written(const bus::Transaction& transaction) const
{
    const bus::Mapping* const window = transaction.window;
    if (!transaction.payload->is_write() || window == nullptr || window->owner() != unit_)
        return std::nullopt;
    return static_cast<std::uint32_t>(transaction.payload->get_address() - window->base);
}

/// Determines which master has lowered a counter, from the bus access that follows. If a debugger
/// or script has lowered it without a bus access, no master is recorded.
void WaitHistory::passed(const bus::Transaction& transaction)
{
    const auto at = written(transaction);
    if (at && (*at == LEVEE_SYNC_IRQ_COUNTER || *at == LEVEE_SYNC_IRQ_VALUE ||
               *at == LEVEE_SYNC_IRQ_ENABLE))
        armed_ps_ = now_ps();
    Lowered* const latest = std::exchange(latest_, nullptr);
    if (latest == nullptr || !at ||
        (*at != LEVEE_SYNC_VALUE(latest->counter) && *at != LEVEE_SYNC_ADD(latest->counter)))
        return;
    const std::string& by =
        context_.system.initiators()[static_cast<std::size_t>(transaction.initiator)];
    const riscv::Hart& hart = context_.system.core().hart();
    const trace::Symbols& symbols = context_.symbols;
    latest->by = by == "core" ? "the core at pc " + context_.place(hart.access_pc()) : by;
    if (by == "core" && &symbols.at(hart.access_pc()) != &symbols.at(hart.reg(ra)))
        latest->by += ", called from " + symbols.locate(hart.reg(ra));
}

/// Describes how a counter was lowered. If this was before `since`, it may only have prepared the
/// wait, so the text says that it happened before the wait.
std::string WaitHistory::lowered(std::uint32_t counter, std::uint32_t wanted,
                                 std::uint64_t since) const
{
    if (counter >= lowered_.size() || !lowered_[counter])
        return "";
    const Lowered& last = *lowered_[counter];
    const std::uint32_t otherwise = last.from + (values_[counter] - last.to);
    std::string text = "; it was set from " + std::to_string(last.from) + " to " +
                       std::to_string(last.to) + " at " + time_text(last.ps) + " by " + last.by;
    const bool is_enough = static_cast<std::int32_t>(otherwise - wanted) >= 0;
    const std::string without = "it would be at " + std::to_string(otherwise);
    if (last.ps < since)
        text += ", before this wait began" + (is_enough ? " (without that " + without + ")" : "");
    else if (is_enough)
        text += ", without which " + without;
    return text;
}

void WaitHistory::interrupted(riscv::Interrupt interrupt, std::uint32_t pc)
{
    const riscv::Core& core = context_.system.core();
    taken_ = Taken{interrupt, pc, context_.core_ps()};
    taken_->instructions = core.hart().instructions();
    taken_->source = interrupt == riscv::Interrupt::timer      ? "the timer"
                     : interrupt == riscv::Interrupt::software ? "software"
                                                               : "";
}

void WaitHistory::requested(const std::string& source, riscv::Plic::Request request)
{
    if (!taken_ || taken_->interrupt != riscv::Interrupt::external)
        return;
    if (request == riscv::Plic::Request::Claimed && !taken_->claimed) {
        taken_->source = source;
        taken_->claimed = now_ps();
    } else if (request == riscv::Plic::Request::None && source == taken_->source) {
        taken_->completed = now_ps();
        taken_->instructions = context_.system.core().hart().instructions();
    }
}

std::string WaitHistory::last_interrupt() const
{
    if (!taken_)
        return "";
    riscv::Hart& hart = context_.system.core().hart();
    std::string text =
        "; the last interrupt" + (taken_->source.empty() ? "" : ", from " + taken_->source + ",") +
        " was taken at " + time_text(taken_->ps) + " in front of pc " + context_.place(taken_->pc);
    if (taken_->claimed)
        text += ", claimed at " + time_text(*taken_->claimed);
    if (taken_->completed)
        text += " and completed at " + time_text(*taken_->completed);
    const std::uint64_t since = hart.instructions() - taken_->instructions;
    text += ", " + std::to_string(since) + " instructions before this wfi";
    const bool unmasked =
        (hart.read_csr(riscv::csr_number::mstatus).value_or(0) & mstatus_mie) != 0;
    // True if this wfi was sleeping when the interrupt was taken. The interrupt then did not come
    // between the check of the wait condition and the wfi.
    const bool woke = taken_->pc == hart.pc();
    if (unmasked && !woke)
        text += ": the interrupt's handler may have made the condition true after the program "
                "checked it and before this wfi, so the wfi waits for an event that has passed "
                "(clear mstatus.MIE before the check, and set it after the wfi)";
    return text;
}

} // namespace levee::checks
