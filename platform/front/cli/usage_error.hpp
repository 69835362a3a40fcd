// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace levee::cli {

/// The message for a command line that CLI11 refuses: the option, what is wrong, and what was
/// expected. `app` has parsed the line.
[[nodiscard]] std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

} // namespace levee::cli
