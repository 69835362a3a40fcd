// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/core_stops.hpp"

namespace levee::debug {

void CoreStops::add(std::uint32_t pc)
{
    if (++points_[pc] == 1 && !(passed_ && passed_->pc == pc))
        core_.hart().set_breakpoint(pc);
}

void CoreStops::remove(std::uint32_t pc)
{
    const auto point = points_.find(pc);
    if (point == points_.end() || --point->second != 0)
        return;
    points_.erase(point);
    core_.hart().clear_breakpoint(pc);
}

void CoreStops::step_over(std::uint32_t pc)
{
    passed_ = Passed{pc, core_.hart().instructions()};
    core_.hart().clear_breakpoint(pc);
    add_cycle(core_.hart().cycle() + 1);
}

void CoreStops::add_cycle(std::uint64_t cycle, std::uint64_t ps)
{
    cycles_[cycle] = ps;
    next();
}

void CoreStops::stopped()
{
    riscv::Hart& hart = core_.hart();
    cycles_.erase(cycles_.begin(), cycles_.upper_bound(hart.cycle()));
    if (passed_ && hart.instructions() == passed_->instructions && hart.pc() == passed_->pc) {
        cycles_.try_emplace(hart.cycle() + 1); // the instruction has not executed yet: the core is
                                               // still filling cache lines
    } else if (passed_) {
        if (points_.contains(passed_->pc))
            hart.set_breakpoint(passed_->pc);
        passed_.reset();
    }
    next();
}

void CoreStops::next()
{
    if (cycles_.empty())
        core_.stop_at(riscv::Core::never);
    else
        core_.stop_at(cycles_.begin()->first, cycles_.begin()->second);
}

} // namespace levee::debug
