// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/hart.hpp"

#include <stdexcept>
#include <string>

namespace levee::riscv {
namespace {

void check_range(std::uint64_t value, std::uint64_t low, std::uint64_t high, const char* name)
{
    if (value < low || value > high)
        throw std::invalid_argument("core configuration: " + std::string(name) + " is " +
                                    std::to_string(value) + ", expected " + std::to_string(low) +
                                    " to " + std::to_string(high));
}

bool is_time(std::uint32_t number)
{
    return number == csr_number::time || number == csr_number::timeh;
}

constexpr std::uint64_t max_cost = UINT16_MAX;

void check_costs(const CycleCosts& costs)
{
    const std::pair<const char*, std::uint32_t> all[] = {{"alu", costs.alu},
                                                         {"mul", costs.mul},
                                                         {"div", costs.div},
                                                         {"load", costs.load},
                                                         {"store", costs.store},
                                                         {"branch", costs.branch},
                                                         {"branch_taken", costs.branch_taken},
                                                         {"jump", costs.jump},
                                                         {"csr", costs.csr},
                                                         {"amo", costs.amo},
                                                         {"fence_i", costs.fence_i},
                                                         {"system", costs.system},
                                                         {"trap", costs.trap}};
    for (const auto& [name, cost] : all)
        check_range(cost, 1, max_cost, (std::string("costs.") + name).c_str());
    check_range(costs.misaligned, 0, max_cost, "costs.misaligned");
}

} // namespace

void validate(const CoreConfig& config)
{
    check_range(config.clock_hz, 1, 1'000'000'000'000, "clock_hz");
    check_range(config.reset_pc, 0, UINT32_MAX, "reset_pc");
    if (config.reset_pc % 2 != 0)
        throw std::invalid_argument("core configuration: reset_pc is odd");
    check_range(config.quantum_cycles, 1, std::uint64_t{1} << 40, "quantum_cycles");
    if (config.tohost && *config.tohost % 8 != 0)
        throw std::invalid_argument("core configuration: tohost is not aligned to 8 bytes");
    check_costs(config.costs);
}

Hart::Hart(const CoreConfig& config, HartPort& port)
    : config_((validate(config), config)), port_(port), csrs_(config.hart_id),
      pc_(static_cast<std::uint32_t>(config.reset_pc))
{
    transient_page_.transient = true;
    if (config_.tohost)
        memory_.watch_writes(*config_.tohost >> page_shift);
}

Stop Hart::run(std::uint64_t until)
{
    until_ = until;
    sleeping_ = false;
    if (const auto interrupt = csrs_.deliverable()) {
        port_.interrupted(*interrupt, pc_);
        pc_ = csrs_.trap(*interrupt, pc_);
        cycle_ += config_.costs.trap;
    }
    if (cycle_ >= until_)
        return Stop::deadline;
    return observer_ != nullptr ? execute<true>() : execute<false>();
}

void Hart::set_breakpoint(std::uint32_t pc)
{
    breakpoints_.insert(pc);
    code_.written(pc, 2);
}

void Hart::clear_breakpoint(std::uint32_t pc)
{
    breakpoints_.erase(pc);
    code_.written(pc, 2);
}

void Hart::raise(Cause cause, std::uint32_t value, std::uint32_t pc)
{
    port_.trapped(cause, value, pc);
    pc_ = csrs_.trap(cause, value, pc);
    cycle_ += config_.costs.trap;
}

CounterView Hart::view(std::uint32_t number, std::uint32_t cost) const
{
    return {cycle_, cycle_ + cost, retired_, is_time(number) ? port_.time(cycle_) : 0};
}

bool Hart::csr(std::uint32_t pc, const Op& op)
{
    const auto number = static_cast<std::uint32_t>(op.imm);
    const std::uint32_t source = (op.rs2 & 4u) != 0 ? op.rs1 : x_[op.rs1];
    const std::uint32_t kind = op.rs2 & 3u; // 1 write, 2 set, 3 clear
    const bool writes = kind == 1 || op.rs1 != 0;
    const CounterView counters = view(number, op.cost);
    const auto old = csrs_.read(number, counters);
    const std::uint32_t value = kind == 1   ? source
                                : kind == 2 ? old.value_or(0) | source
                                            : old.value_or(0) & ~source;
    if (!old || (writes && !csrs_.write(number, value, counters))) {
        raise(Cause::illegal_instruction, op.raw, pc);
        return false;
    }
    x_[op.rd] = *old;
    if (writes)
        leave(); // an interrupt may have become deliverable
    return true;
}

bool Hart::environment_break(std::uint32_t pc, const Op& op)
{
    constexpr std::uint16_t uncompressed = 2;
    if (op.step == uncompressed && port_.environment_call(pc, cycle_))
        return true;
    raise(Cause::breakpoint, pc, pc);
    return false;
}

void Hart::invalidate_dmi(std::uint64_t start, std::uint64_t end)
{
    memory_.remove(start, end);
    code_.drop(start, end);
    leave();
}

} // namespace levee::riscv
