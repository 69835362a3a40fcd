// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// Bits in consecutive bytes of a component's storage.
struct StoredBits {
    std::uint64_t offset = 0; ///< Offset in the storage.
    std::uint64_t bytes = 0;
    unsigned element_bits = 8;    ///< 8, 16, 32 or 64. Elements are aligned to their size.
    std::vector<unsigned> bits{}; ///< Bits of each element; empty: all.
};

/// State in which faults can be injected, with a name that the component chooses. Registers,
/// descriptors and stored bytes need no entry, because they are accessible through the register
/// file, the queue and the storage.
struct Injectable {
    std::string name;
    /// Returns which bits of the component's storage contain the state at present, by offset. Null:
    /// the state is not in the storage.
    std::function<std::vector<StoredBits>()> stored{};
    // The following members are for state outside the storage:
    std::uint64_t bits = 0;
    std::function<void(std::uint64_t bit)> flip{};
};

} // namespace levee
