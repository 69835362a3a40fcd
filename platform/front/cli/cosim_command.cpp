// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/cosim_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/studies/cosim/cosim.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace levee::cli {

namespace {

void add_files(CLI::App& command, const std::shared_ptr<cosim::Request>& request)
{
    command
        .add_option("--rtl", request->rtl,
                    "Your RTL in place of the design: a YAML file (docs/own_rtl.md)")
        ->type_name("FILE");
    command
        .add_option("--coverage", request->coverage,
                    "Also count covered lines and toggles, in this folder; the counts of all its "
                    "runs are added")
        ->type_name("DIR");
    command
        .add_option("--export", request->export_to,
                    "Write stimulus, expected values, testbenches and the reference there, for "
                    "another simulator; nothing is compared")
        ->type_name("DIR");
    add_out_folder(command, request->out, "Folder of the FST file")->capture_default_str();
}

} // namespace

void add_cosim_command(CLI::App& app, std::function<int()>& action)
{
    const auto request = std::make_shared<cosim::Request>();
    CLI::App* command = app.add_subcommand(
        "cosim", "Compare a block's RTL with its reference on random operations");
    command->add_option("BLOCK", request->block, "A design (docs/rtl.md)")->required();
    CLI::Option* const operations =
        command
            ->add_option("--ops", request->options.operations,
                         "Operations to run (for an export: 100)")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{0xFFFFFFFF}))
            ->capture_default_str();
    command->add_option("--seed", request->options.seed, "Seed of the operations")
        ->capture_default_str();
    command->add_flag("--waves", request->waves,
                      "Write an FST file of the failing operation, or of the last one");
    command->add_flag(
        "--values-only", [request](std::int64_t) { request->options.compare_cycles = false; },
        "Compare only values, not the cycles in which they appear");
    add_files(*command, request);
    command->callback([request, operations, &action] {
        if (!request->export_to.empty() && operations->count() == 0)
            request->options.operations = cosim::export_operations;
        action = [request] { return cosim::run_cosim(*request); };
    });
}

} // namespace levee::cli
