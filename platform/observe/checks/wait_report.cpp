// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/wait_report.hpp"

#include "ip/riscv/csr.hpp"
#include "ip/sync/regs.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

namespace levee::checks {

namespace {

class Report {
public:
    Report(const Context& context, const std::deque<QueueWatch>& queues, const WaitHistory& history)
        : context_(context), queues_(queues), history_(history)
    {
        for (std::size_t i = 0; i < context.plan.components.size(); ++i)
            if (context.system.components()[i].counters != nullptr) {
                sync_ = &context.system.components()[i];
                sync_name_ = context.plan.components[i].name;
            }
        if (comparator_waits())
            oldest_ = history.armed_ps();
        for (const QueueWatch& queue : queues)
            if (queue.executing())
                oldest_ = std::min(oldest_, queue.submitted_ps());
    }

    std::string text()
    {
        add_core();
        add_comparator();
        for (const QueueWatch& queue : queues_)
            add_queue(queue);
        return text_;
    }

private:
    void add_line(const std::string& who, const std::string& what)
    {
        text_ += "\n  " + who + ": " + what;
    }

    void add_core()
    {
        riscv::Hart& hart = context_.system.core().hart();
        const std::string place = context_.place(hart.pc());
        if (!hart.sleeping())
            return add_line("core", "runs at " + place + masked());
        const std::uint32_t mie = hart.read_csr(riscv::csr_number::mie).value_or(0);
        std::string enabled;
        const auto name = [&](unsigned bit, const std::string& what) {
            if ((mie >> bit & 1u) != 0)
                enabled += (enabled.empty() ? "" : ", ") + what;
        };
        // Bits of mie (privileged specification, section 3.1.9).
        name(3, "software");
        name(7, "timer");
        name(11, "external" + sources());
        add_line("core", "sleeps (wfi) at " + place + caller(hart) +
                             "; interrupts enabled: " + (enabled.empty() ? "none" : enabled) +
                             masked() + history_.last_interrupt());
    }

    /// Returns the interrupts that are raised but do not reach the core, with the reason, such as
    /// "; rsa's interrupt is raised, but it is not enabled in the plic" or "; sync's interrupt was
    /// claimed and not completed".
    std::string masked()
    {
        const RegisterFile* plic = nullptr;
        for (const System::Peripheral& peripheral : context_.system.peripherals())
            if (peripheral.base == LEVEE_PLIC_BASE)
                plic = peripheral.registers;
        const auto word = [plic](std::uint32_t at) { return peek(*plic, at); };
        const std::uint32_t mie =
            context_.system.core().hart().read_csr(riscv::csr_number::mie).value_or(0);
        std::string text;
        for (const PlannedComponent& component : context_.plan.components) {
            const std::uint32_t irq = component.irq, at = 4 * (irq / 32), bit = irq % 32;
            if (irq != 0 && context_.system.plic().request(irq) == riscv::Plic::Request::Claimed)
                text += "; " + component.name + "'s interrupt was claimed and not completed";
            if (irq == 0 || (word(riscv::plic_register::pending + at) >> bit & 1u) == 0)
                continue;
            const std::uint32_t priority = word(riscv::plic_register::priority + 4 * irq);
            const char* const why = (word(riscv::plic_register::enable + at) >> bit & 1u) == 0
                                        ? "it is not enabled in the plic"
                                    : priority == 0 ? "its priority in the plic is 0"
                                    : priority <= word(riscv::plic_register::threshold)
                                        ? "its priority in the plic is not above the threshold"
                                    : (mie >> 11 & 1u) == 0 ? "mie.MEIE is 0"
                                                            : nullptr;
            if (why != nullptr)
                text += "; " + component.name + "'s interrupt is raised, but " + why;
        }
        return text;
    }

    /// Returns the caller if ra points into another function. Otherwise returns an empty text,
    /// since ra is left over from an earlier call.
    std::string caller(const riscv::Hart& hart) const
    {
        const trace::Symbols& symbols = context_.symbols;
        if (&symbols.at(hart.reg(ra)) == &symbols.at(hart.pc()))
            return "";
        return ", ra " + context_.place(hart.reg(ra));
    }

    /// Returns the names of the sources that are enabled in the interrupt controller.
    std::string sources()
    {
        std::string names;
        const auto is_enabled = [this](std::uint32_t irq) {
            std::uint32_t word = 0;
            const std::uint32_t at =
                LEVEE_PLIC_BASE + riscv::plic_register::enable + 4 * (irq / 32);
            context_.system.core().debug_read(
                at, {reinterpret_cast<std::uint8_t*>(&word), sizeof word});
            return (word >> (irq % 32) & 1u) != 0;
        };
        const auto name = [&](std::uint32_t irq, const std::string& what) {
            if (is_enabled(irq))
                names += (names.empty() ? "" : ", ") + what;
        };
        name(LEVEE_UART_IRQ, "uart");
        for (const PlannedComponent& component : context_.plan.components)
            if (component.irq != 0)
                name(component.irq, component.name);
        return " (" + (names.empty() ? "no source enabled" : names) + ")";
    }

    std::uint32_t counter(std::uint32_t index) const
    {
        return sync_ != nullptr ? sync_->counters->value(index) : 0;
    }

    /// Describes a wait that began at `since`: the counter waited for, how it was lowered, and the
    /// operations that would add to it.
    std::string awaited(std::uint32_t index, std::uint32_t wanted, std::uint64_t since) const
    {
        return "counter " + std::to_string(index) + " to reach " + std::to_string(wanted) +
               ", it is at " + std::to_string(counter(index)) +
               history_.lowered(index, wanted, since) + dropped(index, since) + raisers(index);
    }

    /// Returns the descriptors that would have added to the counter, but that a reset after `since`
    /// has dropped.
    std::string dropped(std::uint32_t counter, std::uint64_t since) const
    {
        std::string text;
        for (const QueueWatch& queue : queues_) {
            if (!queue.reset() || queue.reset()->ps < since)
                continue;
            const auto& all = queue.reset()->dropped;
            const auto adds = std::find_if(all.begin(), all.end(), [&](const auto& descriptor) {
                return signals(descriptor, counter);
            });
            if (adds != all.end())
                text += "; " + queue.name() + "'s " + operation_of(queue.declaration(), *adds) +
                        ", which would have added to it, was dropped by a reset of its queue";
        }
        return text;
    }

    static bool signals(const levee_descriptor& descriptor, std::uint32_t counter)
    {
        return std::find(std::begin(descriptor.signal_counter), std::end(descriptor.signal_counter),
                         counter) != std::end(descriptor.signal_counter);
    }

    /// Returns the started operations that would add to the counter. In a deadlock, they wait
    /// themselves.
    std::string raisers(std::uint32_t counter) const
    {
        std::string names;
        for (const QueueWatch& queue : queues_) {
            if (!queue.executing() || !queue.descriptor())
                continue;
            const levee_descriptor& descriptor = *queue.descriptor();
            if (signals(descriptor, counter))
                names += (names.empty() ? "" : " and ") + queue.name() + "'s " +
                         operation_of(queue.declaration(), descriptor);
        }
        return names.empty() ? "; no operation that runs or is next in a queue adds to it"
                             : "; " + names + ", would add to it";
    }

    /// Returns whether the comparator is enabled and its value is not reached, or its counter does
    /// not exist.
    bool comparator_waits() const
    {
        if (sync_ == nullptr || (peek(*sync_->register_file, LEVEE_SYNC_IRQ_ENABLE) & 1u) == 0)
            return false;
        const std::uint32_t index = peek(*sync_->register_file, LEVEE_SYNC_IRQ_COUNTER);
        const std::uint32_t wanted = peek(*sync_->register_file, LEVEE_SYNC_IRQ_VALUE);
        return !sync_->counters->has(index) || !sync_->counters->reached(index, wanted);
    }

    void add_comparator()
    {
        if (!comparator_waits())
            return;
        const std::uint32_t index = peek(*sync_->register_file, LEVEE_SYNC_IRQ_COUNTER);
        const std::uint32_t wanted = peek(*sync_->register_file, LEVEE_SYNC_IRQ_VALUE);
        if (!sync_->counters->has(index))
            return add_line(sync_name_, "its interrupt is armed for counter " +
                                            std::to_string(index) + ", which does not exist");
        add_line(sync_name_,
                 "its interrupt waits for " + awaited(index, wanted, history_.armed_ps()));
    }

    void add_queue(const QueueWatch& queue)
    {
        if (queue.reset() && (!queue.reset()->past || queue.reset()->ps >= oldest_))
            add_line(queue.name(), "its queue " + queue.reset_text());
        if (const std::uint32_t error = queue.error())
            add_line(queue.name(), "stopped by an error (" + error_name(error) + "), " +
                                       std::to_string(queue.waiting()) + " descriptors left in it");
        if (!queue.executing() || !queue.descriptor())
            return;
        const levee_descriptor& descriptor = *queue.descriptor();
        const std::string what = operation_of(queue.declaration(), descriptor);
        std::string waits;
        for (std::size_t i = 0; !queue.running() && i < std::size(descriptor.wait_counter); ++i) {
            const std::uint8_t index = descriptor.wait_counter[i];
            if (index == LEVEE_NO_COUNTER || sync_ == nullptr || !sync_->counters->has(index) ||
                sync_->counters->reached(index, descriptor.wait_value[i]))
                continue;
            waits += (waits.empty() ? " waits for " : ", and for ") +
                     awaited(index, descriptor.wait_value[i], queue.submitted_ps());
        }
        if (waits.empty())
            waits = queue.streams()   ? " waits for a consumer at the stream port it writes to"
                    : queue.running() ? " is running"
                                      : " waits for a producer at the stream port it reads from";
        std::string behind;
        if (queue.waiting() != 0)
            behind = "; " + std::to_string(queue.waiting()) + " more behind it";
        add_line(queue.name(), what + "," + waits + " (" + queue.origin() + ")" + behind);
    }

    const Context& context_;
    const std::deque<QueueWatch>& queues_;
    const WaitHistory& history_;
    const Component* sync_ = nullptr;
    std::string sync_name_;
    std::uint64_t oldest_ = UINT64_MAX;
    std::string text_;
};

} // namespace

std::string wait_report(const Context& context, const std::deque<QueueWatch>& queues,
                        const WaitHistory& history)
{
    return Report(context, queues, history).text();
}

} // namespace levee::checks
