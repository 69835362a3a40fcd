// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Which parts of a component's operations take simulated time.
enum class TakesTime {
    All,     ///< An operation's own cycles and its transfers.
    Streams, ///< Only transfers through memories and links.
    Nothing  ///< None: operations end as soon as they begin.
};

} // namespace levee
