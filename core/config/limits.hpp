// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace levee::config {

/// Inclusive bounds of a number.
struct Limits {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

    friend bool operator==(const Limits&, const Limits&) = default;
};

} // namespace levee::config
