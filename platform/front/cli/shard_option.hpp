// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/store.hpp"

#include <string>

namespace levee::cli {

/// Parses a shard such as "2/4". Throws CLI::ValidationError if it is invalid. `whole` names the
/// divided work in the message, such as "a sweep".
[[nodiscard]] sweep::Shard parse_shard(const std::string& text, const std::string& whole);

} // namespace levee::cli
