// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// One matrix of each expert of a layer, one after another in a storage.
struct ExpertMatrices {
    std::uint32_t layer = 0;
    std::uint32_t experts = 0;
    std::uint64_t offset = 0; ///< of the first expert's
    std::uint64_t bytes = 0;  ///< of each

    [[nodiscard]] std::uint64_t all_bytes() const { return experts * bytes; }
};

} // namespace levee
