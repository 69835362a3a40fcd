// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace levee::profile_export {

/// Times at points of one axis.
using Line =
    std::function<std::map<std::uint32_t, std::uint64_t>(const std::vector<std::uint32_t>&)>;

/// Adds to ascending `points` the middle of each gap in which linear interpolation is off by more
/// than `most_error`, until there are no such gaps: kinks become points. All are multiples of
/// `unit`.
void refine(std::vector<std::uint32_t>& points, std::uint32_t unit, double most_error,
            const Line& times);

} // namespace levee::profile_export
