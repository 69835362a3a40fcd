// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/trap_watch.hpp"

#include "core/units/clock.hpp"
#include "ip/riscv/csr.hpp"
#include "ip/sync/regs.h"

namespace levee::checks {

namespace {

constexpr unsigned suspect = 1'000; ///< after this many identical traps in a row, registers of
                                    ///< the source are compared too
constexpr unsigned loop = 10'000;   ///< after this many traps in a row without any change, the run
                                    ///< ends

} // namespace

std::string cause_name(riscv::Cause cause)
{
    using riscv::Cause;
    switch (cause) {
    case Cause::fetch_misaligned:
        return "misaligned jump";
    case Cause::fetch_fault:
        return "instruction access fault";
    case Cause::illegal_instruction:
        return "illegal instruction";
    case Cause::breakpoint:
        return "breakpoint";
    case Cause::load_misaligned:
        return "misaligned load";
    case Cause::load_fault:
        return "load access fault";
    case Cause::store_misaligned:
        return "misaligned store";
    case Cause::store_fault:
        return "store access fault";
    case Cause::ecall_machine:
        return "ecall";
    }
    return "exception " + std::to_string(static_cast<unsigned>(cause));
}

TrapWatch::TrapWatch(const Context& context, std::function<void(const std::string&)> fail)
    : context_(context), fail_(std::move(fail))
{
    context.system.observe_interrupts(
        [this](const std::string& source, riscv::Plic::Request request) {
            requested(source, request);
        });
}

/// Records whether a request was acknowledged. A source that was not acknowledged requests again at
/// once, and any other source only later.
void TrapWatch::requested(const std::string& source, riscv::Plic::Request request)
{
    if (request == riscv::Plic::Request::None)
        ended_[source] = now_ps();
    const auto ended = ended_.find(source);
    if (request == riscv::Plic::Request::Pending && ended != ended_.end() &&
        ended->second != now_ps())
        acknowledged_.insert(source);
}

std::string TrapWatch::handler() const
{
    const std::uint32_t mtvec =
        context_.system.core().hart().read_csr(riscv::csr_number::mtvec).value_or(0) & ~3u;
    return (mtvec == 0 ? "mtvec is 0: no handler has been set"
                       : "the handler is at " + context_.place(mtvec)) +
           "; at " + time_text(context_.core_ps());
}

/// Handles an exception while mepc still has the value of the previous trap. If mepc equals pc, the
/// handler has returned to the instruction that caused the exception.
void TrapWatch::on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc)
{
    Exception now{cause, value, pc, {}};
    riscv::Hart& hart = context_.system.core().hart();
    for (unsigned i = 1; i < now.registers.size(); ++i)
        now.registers[i] = hart.reg(i);
    if (now == exception_ && hart.read_csr(riscv::csr_number::mepc) == pc) {
        if (++exceptions_ != loop)
            return;
        fail_("trap loop: " + cause_name(cause) + " (mtval " + hex(value) + ") at pc " +
              context_.place(pc) + " for the " + std::to_string(loop) +
              "th time, with the same registers: the handler returns to the failing instruction, "
              "or fails itself; " +
              handler());
        return;
    }
    exception_ = now;
    exceptions_ = 1;
}

void TrapWatch::on_interrupt(riscv::Interrupt interrupt, std::uint32_t pc)
{
    const Taken now{interrupt, pc};
    interrupts_ = now == taken_ ? interrupts_ + 1 : 1;
    taken_ = now;
    if (interrupts_ < suspect)
        return;
    const Source raises = source(interrupt);
    std::vector<std::uint32_t> state = TrapWatch::state(raises);
    if (acknowledged_.erase(raises.name) != 0 || state != state_)
        interrupts_ = suspect;
    state_ = std::move(state);
    if (interrupts_ == suspect + loop)
        fail_("trap loop: the interrupt of " + raises.title + " is never acknowledged: taken " +
              std::to_string(loop) + " times in front of pc " + context_.place(pc) +
              ", while the source's registers do not change" + reason(raises) + "; " + handler());
}

TrapWatch::Source TrapWatch::source(riscv::Interrupt interrupt) const
{
    const auto peripherals = context_.system.peripherals();
    const auto peripheral = [&](std::uint32_t base) {
        for (const System::Peripheral& p : peripherals)
            if (p.base == base)
                return p.registers;
        return static_cast<const RegisterFile*>(nullptr);
    };
    if (interrupt == riscv::Interrupt::timer)
        return {"timer", "the timer (clint)", peripheral(LEVEE_CLINT_BASE)};
    if (interrupt == riscv::Interrupt::software)
        return {"software", "software (clint, msip)", peripheral(LEVEE_CLINT_BASE)};
    // peek() reads without side effects, so it does not claim the interrupt.
    const std::uint32_t irq = peek(*peripheral(LEVEE_PLIC_BASE), riscv::plic_register::claim);
    for (std::size_t i = 0; i < context_.plan.components.size(); ++i)
        if (irq != 0 && context_.plan.components[i].irq == irq)
            return {context_.plan.components[i].name,
                    context_.plan.components[i].name + " (source " + std::to_string(irq) + ")",
                    context_.system.components()[i].register_file};
    const bool is_uart = irq == LEVEE_UART_IRQ;
    return {is_uart ? "uart" : "", "source " + std::to_string(irq) + (is_uart ? " (uart)" : ""),
            is_uart ? peripheral(LEVEE_UART_BASE) : nullptr};
}

/// Returns the source's registers that an acknowledgement could change. The time is omitted, since
/// it always changes.
std::vector<std::uint32_t> TrapWatch::state(const Source& source)
{
    std::vector<std::uint32_t> values;
    if (source.registers != nullptr)
        for (const Register& reg : source.registers->registers())
            if (reg.read && reg.name != "mtime" && reg.name != "mtimeh")
                values.push_back(reg.value());
    return values;
}

std::string TrapWatch::reason(const Source& source) const
{
    std::string text;
    if (source.registers == nullptr)
        return text;
    for (const Register& reg : source.registers->registers())
        for (const char* const name :
             {"IRQ_STATUS", "IRQ_ENABLE", "IRQ_COUNTER", "IRQ_VALUE", "mtimecmp", "msip", "IIR"})
            if (reg.read && reg.name.starts_with(name))
                text += (text.empty() ? " (" : ", ") + reg.name + " is " + hex(reg.value());
    return text + (text.empty() ? "" : ")");
}

} // namespace levee::checks
