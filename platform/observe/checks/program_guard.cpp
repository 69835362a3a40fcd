// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/program_guard.hpp"

#include "ip/riscv/decode.hpp"

#include <algorithm>

namespace levee::checks {

ProgramGuard::ProgramGuard(const Context& context, const ElfImage& program, const Stacks& stacks,
                           Findings& findings, std::function<void(const std::string&)> fail)
    : context_(context), stacks_(stacks), findings_(findings), fail_(std::move(fail))
{
    follow(program);
    riscv::Core& core = context.system.core();
    core.on_guarded = [this](std::uint32_t address, std::uint32_t size) {
        on_store(address, size);
    };
}

ProgramGuard::~ProgramGuard()
{
    context_.system.core().on_guarded = nullptr;
}

/// Guards the bytes directly below the stack. The guarded range is as large as the stack, but
/// not below the start of the heap. A stack frame larger than this range can pass it
/// unnoticed.
void ProgramGuard::follow(const ElfImage& program)
{
    release();
    read_only_ = program.read_only;
    for (const Range& range : read_only_)
        guard(range, false);
    const auto& stack = stacks_.first();
    if (const auto heap = symbol_address(program, "__heap_start"); heap && stack) {
        const std::uint32_t size = stack->top - stack->bottom;
        below_stack_ = {std::max(*heap, stack->bottom - std::min(stack->bottom, size)),
                        stack->bottom};
        guard(below_stack_, true);
    }
}

void ProgramGuard::release()
{
    for (const std::uint32_t page : guarded_)
        context_.system.core().hart().guard(page, false);
    guarded_.clear();
    read_only_.clear();
    below_stack_ = {0, 0};
}

void ProgramGuard::guard(const Range& range, bool whole_pages)
{
    const std::uint64_t margin = riscv::page_bytes - 1;
    const std::uint64_t first = (range.begin + (whole_pages ? margin : 0)) >> riscv::page_shift;
    const std::uint64_t end = (range.end + (whole_pages ? 0 : margin)) >> riscv::page_shift;
    for (std::uint64_t page = first; page < end; ++page) {
        guarded_.push_back(static_cast<std::uint32_t>(page));
        context_.system.core().hart().guard(guarded_.back(), true);
    }
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
    const auto& stack = stacks_.first();
    if (!stack || low < stack->bottom || low > stack->top || address >= low ||
        address + bytes <= stack->bottom || address < stack->bottom)
        return std::nullopt;
    return "the stack below sp, which is " + hex(low) +
           ": the function whose array this was has returned";
}

void ProgramGuard::on_store(std::uint32_t address, std::uint32_t size)
{
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t pc = hart.access_pc();
    const bool overflows = hart.reg(sp) >= below_stack_.begin && hart.reg(sp) < below_stack_.end &&
                           address >= hart.reg(sp) && !stacks_.is_declared(hart.reg(sp));
    if (address >= below_stack_.begin && address < below_stack_.end && overflows)
        return fail_(stacks_.first()->overflow(context_, pc));
    const auto where = read_only(address, size);
    if (where && reported_.insert(pc).second)
        findings_.report("core",
                         "writes " + std::to_string(size) + " bytes at " + hex(address) + ", in " +
                             *where + "; pc " + context_.place(pc) + ", ra " +
                             context_.place(hart.reg(ra)),
                         context_.core_ps());
}

} // namespace levee::checks
