// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `import` with a subcommand for each source of a model. They are executed, and may throw,
/// while `app` parses.
void add_import_command(CLI::App& app);

} // namespace levee::cli
