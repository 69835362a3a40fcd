// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/stack_check.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::mistakes {

namespace {

constexpr unsigned ra = 1, sp = 2; // RISC-V calling convention

std::uint32_t address_of(const riscv::ElfImage& program, const std::string& name)
{
    const auto found = std::find_if(program.symbols.begin(), program.symbols.end(),
                                    [&](const riscv::ElfSymbol& s) { return s.name == name; });
    if (found == program.symbols.end())
        throw std::runtime_error("--check stack: the program has no symbol " + name +
                                 "; expected its stack to be [__heap_end, __stack)");
    return found->address;
}

} // namespace

StackCheck::StackCheck(const Context& context, const riscv::ElfImage& program,
                       std::function<void(const std::string&)> fail)
    : context_(context), fail_(std::move(fail)), bottom_(address_of(program, "__heap_end")),
      top_(address_of(program, "__stack"))
{
    context.system.core().observe(*this);
}

bool StackCheck::before_instruction(std::uint32_t pc, std::uint64_t)
{
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t now = hart.reg(sp);
    if (now >= bottom_) {
        in_use_ |= now <= top_;
        return true;
    }
    if (!in_use_)
        return true;
    in_use_ = false;
    fail_("stack overflow: sp " + hex(now) + " is " + std::to_string(bottom_ - now) +
          " bytes below the stack, " + hex(bottom_) + " to " + hex(top_) + " (" +
          std::to_string(top_ - bottom_) + " bytes); pc " + context_.place(pc) + ", ra " +
          context_.place(hart.reg(ra)));
    return true;
}

} // namespace levee::mistakes
