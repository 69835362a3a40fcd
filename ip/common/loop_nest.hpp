#pragma once

#include "ip/common/access_pattern.hpp"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace levee {

/// One loop of a tensor's nest.
struct Loop {
    std::uint64_t count;
    std::int64_t stride; ///< bytes
};

/// The runs of `run_bytes` that a loop nest (outermost first) visits from `address`, as few access
/// patterns: loops of one iteration vanish and gapless ones lengthen the run, so that three levels
/// are nearly always enough; further outer loops become patterns of their own.
[[nodiscard]] std::vector<AccessPattern> patterns_of(std::uint64_t address, std::uint64_t run_bytes,
                                                     std::initializer_list<Loop> loops);

} // namespace levee
