#pragma once

#include "ip/common/decisions.hpp"
#include "platform/config/node.hpp"

namespace levee {

/// Reads the map of a file of scenarios/tech/decisions. Throws config::Error.
[[nodiscard]] DecisionStatistics read_statistics(const config::Node& node);

} // namespace levee
