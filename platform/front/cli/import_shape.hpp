// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `levee import config`, which imports only the shape of a model.
void add_import_shape(CLI::App& import);

/// Adds --ignore-key, which accepts a key of a model's files although its meaning is unknown.
void add_ignored_keys(CLI::App& command, std::vector<std::string>& keys);

} // namespace levee::cli
