// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace levee::cli {

/// Adds `import` with a subcommand for each source of a model. The subcommands are executed while
/// `app` parses the command line, and may throw.
void add_import_command(CLI::App& app);

} // namespace levee::cli
