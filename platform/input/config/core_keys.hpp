// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"
#include "ip/riscv/config.hpp"

#include <array>
#include <cstddef>
#include <iterator>

namespace levee::config {

/// Allowed costs of an instruction in cycles, for each class of instructions.
inline constexpr Limits instruction_cycles{1, 65535};
inline constexpr auto cycles_keys = [] {
    constexpr const char* digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    std::array<Key, std::size(riscv::cost_classes)> keys{};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const riscv::CostClass& one = riscv::cost_classes[i];
        keys[i] = count32(one.name, one.meaning, instruction_cycles)
                      .or_else(digits[riscv::CycleCosts{}.*one.cost]);
    }
    return keys;
}();

inline constexpr Limits cache_bytes{1, std::uint64_t{1} << 26};
inline constexpr Key cache_size_key =
    quantity("size", Dimension::Size, "Capacity: ways x line x a power of two.", cache_bytes);
inline constexpr Key cache_line_key =
    quantity("line", Dimension::Size, "Bytes of a line: a power of two, 8 to 1024.", cache_bytes);
inline constexpr Key cache_ways_key = count32("ways", "Associativity.", {1, 64});
inline constexpr Key icache_keys[] = {cache_size_key, cache_line_key, cache_ways_key};

inline constexpr Word coherence_words[] = {{"snooped", true}, {"software", false}};
inline constexpr Key dcache_keys[] = {
    cache_size_key, cache_line_key, cache_ways_key,
    word("coherence", coherence_words,
         "Coherence: accesses of other masters are snooped, or firmware maintains it.")
        .or_else("snooped")};

inline constexpr Limits boot_info_hertz{1, 0xFFFF'FFFF}; // boot_info has 32 bits for the frequency
inline constexpr Key core_keys[] = {
    quantity("clock", Dimension::Frequency, "Clock of the core.", boot_info_hertz),
    quantity("timebase", Dimension::Frequency, "Clock of the timer mtime.", boot_info_hertz),
    count(
        "quantum",
        "Cycles that the core may run ahead of the simulation kernel; they do not affect results.",
        {1, 1'000'000'000})
        .or_else("10000"),
    flag("misaligned_traps", "Misaligned loads and stores raise an exception.").or_else("false"),
    map("cycles", cycles_keys, "Cost of an instruction by class, in cycles.").optional(),
    map("icache", icache_keys,
        "Instruction cache of code outside the tightly coupled memory (ip/riscv/README.md).")
        .optional(),
    map("dcache", dcache_keys, "Data cache, write-back (ip/riscv/README.md).").optional(),
};

} // namespace levee::config
