// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Part of a component's operations that takes simulated time.
enum class TakesTime {
    All,     ///< An operation's own cycles and its transfers take time.
    Streams, ///< Only transfers through memories and links take time.
    Nothing  ///< Operations end as soon as they begin.
};

} // namespace levee
