// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/program_guard.hpp"

#include "ip/riscv/decode.hpp"

#include <algorithm>

namespace levee::mistakes {

std::optional<std::uint32_t> symbol_address(const riscv::ElfImage& program, const std::string& name)
{
    const auto found = std::find_if(program.symbols.begin(), program.symbols.end(),
                                    [&](const riscv::ElfSymbol& s) { return s.name == name; });
    return found != program.symbols.end() ? std::optional(found->address) : std::nullopt;
}

std::optional<Stack> Stack::of(const riscv::ElfImage& program)
{
    const auto bottom = symbol_address(program, "__heap_end");
    const auto top = symbol_address(program, "__stack");
    if (!bottom || !top || *bottom >= *top)
        return std::nullopt;
    return Stack{*bottom, *top};
}

std::string Stack::overflow(const Context& context, std::uint32_t pc) const
{
    const riscv::Hart& hart = context.system.core().hart();
    return "stack overflow: sp " + hex(hart.reg(sp)) + " is " +
           std::to_string(bottom - hart.reg(sp)) + " bytes below the stack, " + hex(bottom) +
           " to " + hex(top) + " (" + std::to_string(top - bottom) + " bytes); pc " +
           context.place(pc) + ", ra " + context.place(hart.reg(ra)) + "; at " +
           time_text(context.core_ps());
}

/// Guards as much below the stack as its size, as far as the heap may reach: a frame that is
/// larger than that goes unseen.
ProgramGuard::ProgramGuard(const Context& context, const riscv::ElfImage& program,
                           Findings& findings, std::function<void(const std::string&)> fail)
    : context_(context), findings_(findings), fail_(std::move(fail)), read_only_(program.read_only),
      stack_(Stack::of(program))
{
    for (const Range& range : read_only_)
        guard(range, false);
    if (const auto heap = symbol_address(program, "__heap_start"); heap && stack_) {
        const std::uint32_t size = stack_->top - stack_->bottom;
        below_stack_ = {std::max(*heap, stack_->bottom - std::min(stack_->bottom, size)),
                        stack_->bottom};
        guard(below_stack_, true);
    }
    riscv::Core& core = context.system.core();
    core.on_guarded = [this](std::uint32_t address, std::uint32_t size) {
        on_store(address, size);
    };
}

ProgramGuard::~ProgramGuard()
{
    context_.system.core().on_guarded = nullptr;
}

void ProgramGuard::guard(const Range& range, bool whole_pages)
{
    const std::uint64_t margin = riscv::page_bytes - 1;
    const std::uint64_t first = (range.begin + (whole_pages ? margin : 0)) >> riscv::page_shift;
    const std::uint64_t end = (range.end + (whole_pages ? 0 : margin)) >> riscv::page_shift;
    for (std::uint64_t page = first; page < end; ++page)
        context_.system.core().hart().guard(static_cast<std::uint32_t>(page), true);
}

std::optional<std::string> ProgramGuard::read_only(std::uint64_t address, std::uint64_t bytes) const
{
    for (const Range& range : read_only_)
        if (address < range.end && address + bytes > range.begin)
            return "the program's code and constants, " + hex(range.begin) + " to " +
                   hex(range.end - 1);
    return std::nullopt;
}

std::optional<std::string> ProgramGuard::free_stack(std::uint64_t address,
                                                    std::uint64_t bytes) const
{
    const std::uint32_t low = context_.system.core().hart().reg(sp);
    if (!stack_ || low < stack_->bottom || low > stack_->top || address >= low ||
        address + bytes <= stack_->bottom || address < stack_->bottom)
        return std::nullopt;
    return "the stack below sp, which is " + hex(low) +
           ": the function whose array this was has returned";
}

void ProgramGuard::on_store(std::uint32_t address, std::uint32_t size)
{
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t pc = hart.access_pc();
    const bool overflows = hart.reg(sp) >= below_stack_.begin && hart.reg(sp) < below_stack_.end &&
                           address >= hart.reg(sp);
    if (address >= below_stack_.begin && address < below_stack_.end && overflows)
        return fail_(stack_->overflow(context_, pc));
    const auto where = read_only(address, size);
    if (where && reported_.insert(pc).second)
        findings_.report("core",
                         "writes " + std::to_string(size) + " bytes at " + hex(address) + ", in " +
                             *where + "; pc " + context_.place(pc) + ", ra " +
                             context_.place(hart.reg(ra)),
                         context_.core_ps());
}

} // namespace levee::mistakes
