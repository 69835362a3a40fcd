// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace levee::cli {

/// `levee import config`: a model's shape alone.
void add_import_shape(CLI::App& import);

} // namespace levee::cli
