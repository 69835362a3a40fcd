// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/calibrate_command.hpp"

#include "platform/observe/decisions/calibrate.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace levee::cli {

void add_calibrate_command(CLI::App& app, std::function<int()>& action)
{
    const auto request = std::make_shared<CalibrationRequest>();
    CLI::App* command = app.add_subcommand(
        "calibrate-decisions", "Print statistics of recorded decisions, for timing-only runs");
    command->add_option("RECORDING", request->recordings, "Recordings of 'run --record-decisions'")
        ->required();
    command
        ->add_option("--check", request->check,
                     "Instead, draw decisions for the recorded runs from these statistics, and "
                     "print the draws and their errors")
        ->type_name("FILE.yaml");
    command->callback(
        [request, &action] { action = [request] { return calibrate_decisions(*request); }; });
}

} // namespace levee::cli
