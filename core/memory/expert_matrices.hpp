// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee {

/// One matrix of each expert of a layer. The matrices are consecutive in a storage.
struct ExpertMatrices {
    std::uint32_t layer = 0;
    std::uint32_t experts = 0;
    std::uint64_t offset = 0; ///< Offset of the first expert's matrix.
    std::uint64_t bytes = 0;  ///< Bytes of each expert's matrix.

    [[nodiscard]] std::uint64_t all_bytes() const { return experts * bytes; }
};

} // namespace levee
