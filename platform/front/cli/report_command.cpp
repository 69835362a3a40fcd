// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/report_command.hpp"

#include "platform/observe/report/remake.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace levee::cli {

void add_report_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "report", "Make report.html of a run, sweep, comparison or reproduction again");
    const auto folder = std::make_shared<std::string>();
    command->add_option("DIR", *folder, "A folder of results")->required();
    command->callback([&action, folder] {
        action = [folder] {
            std::printf("%s\n", remake_page(*folder).string().c_str());
            return 0;
        };
    });
}

} // namespace levee::cli
