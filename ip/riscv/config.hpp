// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::riscv {

/// Cycles of each class of instructions, 1 to 65535. The default is one cycle for each class; a
/// scenario states the values of the modelled core.
struct CycleCosts {
    std::uint32_t alu = 1, mul = 1, div = 1, load = 1, store = 1, branch = 1, branch_taken = 1;
    std::uint32_t jump = 1, csr = 1, amo = 1, fence_i = 1, system = 1, trap = 1, misaligned = 1;
};

/// A class of instructions: its name, and its member of CycleCosts.
struct CostClass {
    const char* name;
    std::uint32_t CycleCosts::*cost;
    const char* meaning; ///< one sentence
};
inline constexpr CostClass cost_classes[] = {
    {"alu", &CycleCosts::alu, "Arithmetic and logic; also lui, auipc and fence."},
    {"mul", &CycleCosts::mul, "Multiplication."},
    {"div", &CycleCosts::div, "Division and remainder."},
    {"load", &CycleCosts::load, "Load."},
    {"store", &CycleCosts::store, "Store."},
    {"branch", &CycleCosts::branch, "Branch that is not taken."},
    {"branch_taken", &CycleCosts::branch_taken, "Branch that is taken."},
    {"jump", &CycleCosts::jump, "jal and jalr."},
    {"csr", &CycleCosts::csr, "Access to a control and status register."},
    {"amo", &CycleCosts::amo, "Atomic operation; also lr and sc."},
    {"fence_i", &CycleCosts::fence_i, "fence.i."},
    {"system", &CycleCosts::system, "mret, and wfi before the core sleeps."},
    {"trap", &CycleCosts::trap, "Trap or interrupt, up to the handler's first instruction."},
    {"misaligned", &CycleCosts::misaligned, "Added to a load or store at a misaligned address."},
};

/// A cache of the core, for the memory in CoreConfig::cacheable only.
struct CacheConfig {
    std::uint32_t size_bytes = 0; ///< line_bytes x ways x a power of two; at least two lines.
    std::uint32_t line_bytes = 0; ///< A power of two, 8 to 1024.
    std::uint32_t ways = 0;       ///< 1 to 64.
    /// For the data cache. True: the cache snoops the accesses of other masters. False: firmware
    /// keeps the cache coherent.
    bool snooped = false;
};

/// Address range, in the core's map, of memory that the caches may hold. The range consists of
/// whole pages of 4096 bytes.
struct CacheableRange {
    std::uint32_t base = 0;
    std::uint32_t bytes = 0;
    /// Transfer time per byte of a line, in addition to the time of the bus access.
    double ps_per_byte = 0;
};

struct CoreConfig {
    std::uint64_t clock_hz = 1'000'000'000; ///< 1 to 1e12.
    std::uint64_t reset_pc = 0x8000'0000;   ///< Even, below 2^32.
    CycleCosts costs;
    /// Cycles that the core may run ahead of the kernel when no event is pending. Results do not
    /// depend on this number.
    std::uint64_t quantum_cycles = 1;
    /// A misaligned load or store raises an exception. LR, SC, AMO and misaligned accesses outside
    /// DMI memory always raise one.
    bool misaligned_traps = false;
    std::uint32_t hart_id = 0;
    std::optional<CacheConfig> icache; ///< Absent: each fetch outside DMI memory is a bus access.
    /// Absent: each load and store outside DMI memory is a bus access.
    std::optional<CacheConfig> dcache;
    std::vector<CacheableRange> cacheable;
    /// Address of Spike's HTIF exit register; see Core::on_exit.
    std::optional<std::uint32_t> tohost;
};

/// A fault in a cache's geometry.
struct CacheProblem {
    const char* member; ///< "size", "line" or "ways".
    std::string text;   ///< For example "is 48; expected ...".
};
std::optional<CacheProblem> problem_of(const CacheConfig& cache);

/// Throws std::invalid_argument with the name of a member that is out of range.
void validate(const CoreConfig& config);

} // namespace levee::riscv
