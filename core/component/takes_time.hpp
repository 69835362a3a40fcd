// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Which activities of a component's operations take simulated time.
enum class TakesTime {
    All,     ///< its own cycles, and its transfers
    Streams, ///< only its transfers through memories and links
    Nothing  ///< its operations end when they begin
};

} // namespace levee
