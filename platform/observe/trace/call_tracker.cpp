// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/call_tracker.hpp"

#include <algorithm>

namespace levee::trace {

namespace {

using riscv::Code;

/// Returns whether a register holds return addresses by convention: ra and t0 (unprivileged
/// specification, table "return-address stack prediction hints").
bool is_link(unsigned reg)
{
    return reg == 1 || reg == 5;
}

/// Returns true for an instruction, other than a jump, after which the pc or the time may change
/// unexpectedly, such as wfi.
bool may_leave(Code code)
{
    return code == Code::mret || code == Code::wfi;
}

} // namespace

CallTracker::CallTracker(const riscv::Hart& hart, const Symbols& symbols, CallListener& listener)
    : hart_(hart), symbols_(symbols), listener_(listener)
{
}

bool CallTracker::before_instruction(std::uint32_t pc, std::uint64_t cycle)
{
    if (breaks_ != hart_.breaks() || may_leave(last_.code)) [[unlikely]]
        follow(pc, cycle);
    if (!is_innermost(pc))
        settle(pc, cycle);
    began_ = true;
    breaks_ = hart_.breaks();
    last_ = hart_.instruction();
    last_cycle_ = cycle;
    if (last_.code == Code::jal)
        jump(pc, static_cast<std::uint32_t>(last_.imm));
    else if (last_.code == Code::jalr)
        jump(pc, (hart_.reg(last_.rs1) + static_cast<std::uint32_t>(last_.imm)) & ~1u);
    return true;
}

/// Replaces the innermost frame's function by the function at `pc`.
void CallTracker::settle(std::uint32_t pc, std::uint64_t cycle)
{
    if (frames_.empty())
        return push(pc, 0, false, cycle);
    const Frame old = frames_.back();
    pop_to(frames_.size() - 1, cycle);
    push(pc, old.return_address, old.trap, cycle);
}

/// Looks up the function at `pc` through a small cache, since most calls go to a few addresses.
inline const Function& CallTracker::function_at(std::uint32_t pc)
{
    Called& called = called_[pc / 2 % called_.size()];
    if (called.pc != pc)
        called = {pc, &symbols_.at(pc)};
    return *called.function;
}

/// Handles a step to `pc` that is neither a jump nor the next instruction: a trap, a return from a
/// trap, or the end of a sleep.
void CallTracker::follow(std::uint32_t pc, std::uint64_t cycle)
{
    if (!began_)
        return;
    if (last_.code == Code::wfi)
        woke(cycle);
    if (last_.code == Code::mret) {
        left_trap(cycle);
        if (pc == handler_) // mret went to the handler again, since another trap was pending
            trapped(pc, cycle);
    } else if (breaks_ != hart_.breaks()) {
        trapped(pc, cycle);
    }
}

/// Handles a jump that is about to execute. The call or return takes effect when the jump
/// completes, before the next instruction or trap.
void CallTracker::jump(std::uint32_t pc, std::uint32_t target)
{
    const std::uint64_t cycle = last_cycle_ + last_.cost;
    if (is_link(last_.rd))
        push(target, pc + 2u * last_.step, false, cycle);
    else if (last_.code == Code::jalr && is_link(last_.rs1))
        returned(target, cycle);
    if (!is_innermost(target))
        settle(target, cycle);
}

void CallTracker::trapped(std::uint32_t handler, std::uint64_t cycle)
{
    handler_ = handler;
    push(handler, 0, true, cycle);
}

void CallTracker::returned(std::uint32_t pc, std::uint64_t cycle)
{
    for (std::size_t depth = frames_.size(); depth-- > 0 && !frames_[depth].trap;)
        if (frames_[depth].return_address == pc)
            return pop_to(depth, cycle);
}

void CallTracker::left_trap(std::uint64_t cycle)
{
    for (std::size_t depth = frames_.size(); depth-- > 0;)
        if (frames_[depth].trap)
            return pop_to(depth, cycle);
}

void CallTracker::push(std::uint32_t pc, std::uint32_t return_address, bool trap,
                       std::uint64_t cycle)
{
    const Function& function = function_at(pc);
    frames_.push_back({&function, return_address, trap});
    innermost_ = {function.begin, function.end, true};
    listener_.enter(function, cycle);
}

void CallTracker::pop_to(std::size_t depth, std::uint64_t cycle)
{
    while (frames_.size() > depth) {
        frames_.pop_back();
        listener_.leave(cycle);
    }
    innermost_ = frames_.empty() ? riscv::CodeRange{}
                                 : riscv::CodeRange{frames_.back().function->begin,
                                                    frames_.back().function->end, true};
}

void CallTracker::woke(std::uint64_t cycle)
{
    const std::uint64_t asleep_at = last_cycle_ + last_.cost;
    if (cycle <= asleep_at)
        return;
    listener_.enter(sleep_, asleep_at);
    listener_.leave(cycle);
}

void CallTracker::program_changed()
{
    pop_to(0, hart_.cycle());
    called_ = {};
    began_ = false;
}

void CallTracker::finish(std::uint64_t cycle)
{
    if (began_ && last_.code == Code::wfi)
        woke(cycle);
    // A debugger may have stopped the hart before a jump whose effect has been reported already.
    const bool jumps = began_ && (last_.code == Code::jal || last_.code == Code::jalr);
    pop_to(0, jumps ? std::max(cycle, last_cycle_ + last_.cost) : cycle);
}

} // namespace levee::trace
