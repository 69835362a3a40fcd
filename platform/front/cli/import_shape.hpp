// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace levee::cli {

/// `levee import config`: a model's shape alone.
void add_import_shape(CLI::App& import);

/// --ignore-key: keys of a model's files that are not known, and are not to be refused.
void add_ignored_keys(CLI::App& command, std::vector<std::string>& keys);

} // namespace levee::cli
