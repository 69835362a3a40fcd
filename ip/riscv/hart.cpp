// SPDX-License-Identifier: Apache-2.0
#include "ip/riscv/hart.hpp"

#include "core/units/time.hpp"

#include <bit>
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
    for (const CostClass& one : cost_classes) {
        const bool is_added = one.cost == &CycleCosts::misaligned;
        check_range(costs.*one.cost, is_added ? 0 : 1, max_cost,
                    (std::string("costs.") + one.name).c_str());
    }
}

void check_cache(const std::optional<CacheConfig>& cache, const char* name)
{
    if (!cache)
        return;
    if (const auto problem = problem_of(*cache))
        throw std::invalid_argument("core configuration: " + std::string(name) + "." +
                                    problem->member + " " + problem->text);
}

} // namespace

std::optional<CacheProblem> problem_of(const CacheConfig& cache)
{
    constexpr std::uint32_t least_line = 8, most_line = 1024, most_ways = 64;
    const auto is = [](const char* member, std::uint32_t value, const std::string& expected) {
        return CacheProblem{member, "is " + std::to_string(value) + "; expected " + expected};
    };
    if (!std::has_single_bit(cache.line_bytes) || cache.line_bytes < least_line ||
        cache.line_bytes > most_line)
        return is("line", cache.line_bytes, "a power of two from 8 to 1024 bytes");
    if (cache.ways == 0 || cache.ways > most_ways)
        return is("ways", cache.ways, "1 to 64");
    const std::uint32_t way_bytes = cache.line_bytes * cache.ways;
    if (cache.size_bytes % way_bytes != 0 || !std::has_single_bit(cache.size_bytes / way_bytes))
        return is("size", cache.size_bytes,
                  "line x ways x a power of two, such as " + std::to_string(way_bytes) + ", " +
                      std::to_string(2 * way_bytes) + " or " + std::to_string(64 * way_bytes) +
                      " bytes");
    if (cache.size_bytes < 2 * cache.line_bytes)
        return is("size", cache.size_bytes,
                  "at least two lines, since an instruction can span "
                  "two");
    return {};
}

void validate(const CoreConfig& config)
{
    check_range(config.clock_hz, 1, ps_per_second, "clock_hz");
    check_range(config.reset_pc, 0, UINT32_MAX, "reset_pc");
    if (config.reset_pc % 2 != 0)
        throw std::invalid_argument("core configuration: reset_pc is odd");
    check_range(config.quantum_cycles, 1, std::uint64_t{1} << 40, "quantum_cycles");
    if (config.tohost && *config.tohost % 8 != 0)
        throw std::invalid_argument("core configuration: tohost is not aligned to 8 bytes");
    check_costs(config.costs);
    check_cache(config.icache, "icache");
    check_cache(config.dcache, "dcache");
    for (const CacheableRange& range : config.cacheable)
        if (range.base % page_bytes != 0 || range.bytes % page_bytes != 0)
            throw std::invalid_argument(
                "core configuration: a cacheable range is not whole pages of 4096 bytes");
}

namespace {

/// Limit on the instructions and traps between the two stores that make up one tohost request.
/// Until the second store, run() executes one instruction at a time.
constexpr std::uint64_t half_instructions = 32;

} // namespace

Hart::Hart(const CoreConfig& config, HartPort& port)
    : config_((validate(config), config)), port_(port),
      loads_(config.dcache ? config.dcache->line_bytes : 8),
      stores_(config.dcache ? config.dcache->line_bytes : 8), csrs_(config.hart_id),
      pc_(static_cast<std::uint32_t>(config.reset_pc))
{
    transient_page_.source = CodePage::Source::Transient;
    if (config_.icache)
        icache_.emplace(*config_.icache);
    if (config_.dcache)
        dcache_.emplace(*config_.dcache);
    csrs_.set_caches(config_.icache, config_.dcache);
    if (config_.tohost)
        memory_.watch_writes(*config_.tohost >> page_shift);
}

void Hart::set_tohost(std::optional<std::uint32_t> address)
{
    config_.tohost = address;
    if (dcache_) // Stores must look up their lines again, and thereby check for tohost.
        stores_ = LineTable(config_.dcache->line_bytes);
    if (address)
        memory_.watch_writes(*address >> page_shift);
}

Stop Hart::execute()
{
    if (observer_ != nullptr)
        return straight_ != nullptr ? execute<Loop::Straight>() : execute<Loop::Observed>();
    return dcache_ ? execute<Loop::Cached>() : execute<Loop::Plain>();
}

Stop Hart::run(std::uint64_t until)
{
    until_ = until;
    sleeping_ = false;
    if (const auto interrupt = csrs_.deliverable(); interrupt && !is_fetched_ahead()) {
        port_.interrupted(*interrupt, pc_);
        pc_ = csrs_.trap(*interrupt, pc_);
        end_miss();
        broken();
        cycle_ += config_.costs.trap;
    }
    if (cycle_ >= until_)
        return Stop::deadline;
    if (half_request_)
        until_ = cycle_ + 1;
    const Stop stop = execute();
    end_stay();
    if (half_request_ && (stop == Stop::wfi || ++*half_request_ > half_instructions))
        serve_tohost();
    return stop;
}

void Hart::set_breakpoint(std::uint32_t pc)
{
    breakpoints_.insert(pc);
    code_.fetch_again(pc);
}

void Hart::clear_breakpoint(std::uint32_t pc)
{
    breakpoints_.erase(pc);
    code_.fetch_again(pc);
}

void Hart::raise(Cause cause, std::uint32_t value, std::uint32_t pc)
{
    if (in_cached_page_)
        ++icounts_.accesses; // The instruction does not retire, so it is counted here.
    ahead_.reset();          // The instruction must be fetched again before it executes.
    port_.trapped(cause, value, pc);
    pc_ = csrs_.trap(cause, value, pc);
    broken();
    cycle_ += config_.costs.trap;
}

CounterView Hart::view(std::uint32_t number) const
{
    return {cycle_, cycle_, retired_, retired_, is_time(number) ? port_.time(cycle_) : 0};
}

bool Hart::csr(std::uint32_t pc, const Op& op)
{
    const auto number = static_cast<std::uint32_t>(op.imm);
    const std::uint32_t source = (op.rs2 & 4u) != 0 ? op.rs1 : x_[op.rs1];
    const std::uint32_t kind = op.rs2 & 3u; // 1 write, 2 set, 3 clear.
    const bool writes = kind == 1 || op.rs1 != 0;
    CounterView counters = view(number);
    counters.next_cycle += op.cost;
    ++counters.next_instret;
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
        leave(); // The write may have enabled a pending interrupt.
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
