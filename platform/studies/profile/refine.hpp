// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace levee::profile_export {

/// Measures the times at points of one axis.
using Line =
    std::function<std::map<std::uint32_t, std::uint64_t>(const std::vector<std::uint32_t>&)>;

/// Refines ascending `points`. It adds the middle of each gap in which linear interpolation is
/// wrong by more than `most_error`, until there is no such gap. So kinks become points. All points
/// are multiples of `unit`.
void refine(std::vector<std::uint32_t>& points, std::uint32_t unit, double most_error,
            const Line& times);

} // namespace levee::profile_export
