// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// Some bits of consecutive bytes in a component's storage.
struct StoredBits {
    std::uint64_t offset = 0; ///< Offset in the storage.
    std::uint64_t bytes = 0;
    unsigned element_bits = 8;    ///< 8, 16, 32 or 64; elements lie at multiples of their size
    std::vector<unsigned> bits{}; ///< bits of each element; empty: all
};

/// State in which faults can be injected, under a name that the component chooses. Registers,
/// descriptors and stored bytes need no entry: the register file, the queue and the storage give
/// access.
struct Injectable {
    std::string name;
    /// Bits of the component's storage that hold the state, in their present layout, by offset.
    /// Null: the state is not in the storage.
    std::function<std::vector<StoredBits>()> stored{};
    // The following members are for state outside the storage:
    std::uint64_t bits = 0;
    std::function<void(std::uint64_t bit)> flip{};
};

} // namespace levee
