// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"
#include "core/config/node.hpp"

#include <filesystem>

namespace levee::config {

/// Returns whether `name` is the name of a file that contains the turns of a conversation: a list
/// in YAML, or CSV.
[[nodiscard]] bool is_turns_file(const std::string& name);

/// Reads a file of turns as a list in the form of 'workload.turns'. Each value has its place in the
/// file. Throws Error: at `referrer` if the file cannot be read, otherwise at the line.
[[nodiscard]] Node turns_of_file(const std::filesystem::path& file, const Place& referrer);

/// Returns the error for more than most_turns turns.
[[nodiscard]] Error too_many_turns(const Place& place);

} // namespace levee::config
