// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/stack_check.hpp"

namespace levee::checks {

namespace {

/// Returns whether the instruction adds to the stack pointer or subtracts from it.
bool counts(const riscv::Op& op)
{
    switch (op.code) {
    case riscv::Code::addi:
        return op.rs1 == sp;
    case riscv::Code::add:
    case riscv::Code::sub:
        return op.rs1 == sp || op.rs2 == sp;
    default:
        return false;
    }
}

} // namespace

StackCheck::StackCheck(const Context& context, const Stacks& stacks,
                       std::function<void(const std::string&)> fail)
    : context_(context), stacks_(stacks), fail_(std::move(fail))
{
    context.system.core().observe(*this);
}

void StackCheck::stacks_changed()
{
    left_.clear();
    current_ = stacks_.at(last_sp_);
}

bool StackCheck::before_instruction(std::uint32_t pc, std::uint64_t)
{
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t now = hart.reg(sp);
    if (now != last_sp_)
        moved(now, pc);
    last_sp_ = now;
    last_ = hart.instruction();
    return true;
}

void StackCheck::moved(std::uint32_t now, std::uint32_t pc)
{
    const bool stays = last_.rd == sp && counts(last_) && !is_part_;
    is_part_ = last_.rd == sp && last_.code == riscv::Code::load_immediate;
    if (stays && current_ && now < current_->bottom) {
        fail_(current_->overflow(context_, pc));
        current_.reset();
    } else if (!stays || !current_ || now > current_->top) {
        enter(now);
    }
}

void StackCheck::enter(std::uint32_t now)
{
    if (current_) {
        std::erase_if(left_,
                      [this](const auto& left) { return left.second.bottom == current_->bottom; });
        left_.insert_or_assign(last_sp_, *current_);
    }
    const auto left = left_.find(now);
    current_ = left != left_.end() ? std::optional(left->second) : stacks_.at(now);
    if (current_ || is_part_ || warned_)
        return;
    warned_ = true;
    warn("platform", "--check stack: sp " + hex(now) +
                         " is outside all objects of the program, so this stack is not checked; "
                         "declare it with hostlink_stack(BOTTOM, BYTES)");
}

} // namespace levee::checks
