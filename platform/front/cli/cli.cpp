// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/cli.hpp"

#include "core/config/error.hpp"
#include "core/config/quantity.hpp"
#include "platform/front/cli/calibrate_command.hpp"
#include "platform/front/cli/compare_command.hpp"
#include "platform/front/cli/completion_command.hpp"
#include "platform/front/cli/cosim_command.hpp"
#include "platform/front/cli/debug_command.hpp"
#include "platform/front/cli/explore_command.hpp"
#include "platform/front/cli/export_command.hpp"
#include "platform/front/cli/faults_command.hpp"
#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/import_command.hpp"
#include "platform/front/cli/init_command.hpp"
#include "platform/front/cli/report_command.hpp"
#include "platform/front/cli/reproduce_command.hpp"
#include "platform/front/cli/schema_command.hpp"
#include "platform/front/cli/sweep_command.hpp"
#include "platform/front/cli/usage_error.hpp"
#include "platform/front/cli/version.hpp"
#include "platform/front/cli/watch.hpp"
#include "platform/front/describe/describe.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/observe/report/versions.hpp"
#include "platform/run/run.hpp"
#include "platform/run/stop_signals.hpp"
#include "platform/run/trace_plan.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace levee::cli {

namespace {

constexpr std::size_t most_said = 5000; // longest error message; it may quote a whole file

/// Adds the options that `run` and `describe` share.
void add_scenario_options(CLI::App& command, RunRequest& request)
{
    command.add_option("--set", request.overrides, "Override a key of the scenario, as a.b=value")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    command.add_flag("--allow-outside", request.allow_outside,
                     "Let the scenario read files outside its folder and the project, and write "
                     "files outside the output folder");
    command.add_option("--seed", request.seed, "Seed of all random draws")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{0xFFFFFFFF}))
        ->option_text("0..4294967295");
}

std::uint16_t parse_port(const std::string& text)
{
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, port);
    if (result.ec != std::errc{} || result.ptr != end)
        throw CLI::ValidationError("--gdb", "'" + text + "' is not a port; expected 0 to 65535");
    return port;
}

void add_gdb_options(CLI::App& command, RunRequest& request)
{
    constexpr std::uint16_t default_port = 3333;
    CLI::Option* const gdb =
        command
            .add_option_function<std::vector<std::string>>(
                "--gdb",
                [&request](const std::vector<std::string>& port) {
                    request.gdb_port =
                        port.empty() || port[0].empty() ? default_port : parse_port(port[0]);
                },
                "Serve GDB on this loopback port (0: a free one; default 3333), and wait for it")
            ->expected(0, 1)
            ->type_name("[PORT]");
    command
        .add_option_function<std::string>(
            "--gdb-wait", [&request](const std::string& word) { request.gdb_wait = word == "yes"; },
            "Whether the program waits for the debugger: yes or no")
        ->check(CLI::IsMember({"yes", "no"}))
        ->needs(gdb)
        ->option_text("yes|no");
    command
        .add_flag("--gdb-once", request.gdb_once,
                  "End the run and write its results when the debugger disconnects")
        ->needs(gdb);
}

/// Adds an option for a simulated time, which is stored in picoseconds.
void add_time_option(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& ps,
                     const std::string& text)
{
    command
        .add_option_function<std::string>(
            name,
            [&ps, name](const std::string& value) {
                const auto time = config::parse_quantity(value, config::Dimension::Time);
                if (!time.error.empty() || time.value == 0)
                    throw CLI::ValidationError(
                        name, "'" + value + "' is not a time; expected " +
                                  std::string(config::describe(config::Dimension::Time)));
                ps = time.value;
            },
            text)
        ->type_name("TIME");
}

void add_checkpoint_options(CLI::App& command, RunRequest& request)
{
    add_time_option(
        command, "--checkpoint-every", request.checkpoint_every_ps,
        "Record hashes of the state at this interval of simulated time, for --restore; with --gdb, "
        "also make a checkpoint");
    add_time_option(command, "--restore", request.restore_ps,
                    "Run to this time, compare the state with the state recorded by an earlier run "
                    "into the same folder, and continue; with --gdb, halt instead");
}

void add_script_option(CLI::App& command, RunRequest& request)
{
    command
        .add_option(
            "--script", request.script,
            "Run a script, which pauses the run and shows or changes values (docs/debugging.md)")
        ->type_name("FILE");
}

void add_observation_options(CLI::App& command, RunRequest& request)
{
    command
        .add_option(
            "--trace", request.traces,
            "Write a trace, to FILE or into the results folder: instr (instructions), bus "
            "(transactions), timeline (for Perfetto) or signals (of modules, VCD); the first "
            "three compressed if FILE ends in .gz, and of a part of the run: @1ms..2ms, @token:5, "
            "@layer:3. A timeline is Perfetto's binary format if FILE is .pftrace, else JSON")
        ->type_name("{" + trace_words(",") + "}[@PART][:FILE]")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option(
            "--trace-bus", request.trace_sockets,
            "Limit the bus trace to transactions from and to this component; may be repeated")
        ->type_name("NAME")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--trace-inside", request.trace_inside,
                    "In the timeline, show the parts of this component; may be repeated")
        ->type_name("NAME")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--waves", request.waves,
                    "Write waveforms of blocks that run RTL from one simulated time to another, "
                    "e.g. 1ms..1.2ms; for the whole run: ..")
        ->type_name("FROM..TO");
    command.add_option("--waves-format", request.waves_format, "Format of waveforms: fst or vcd")
        ->check(CLI::IsMember({"fst", "vcd"}))
        ->option_text("fst|vcd");
    command.add_flag("--bounds", request.bounds,
                     "Print the time of each block by cause, and the bottleneck of each phase");
    command.add_flag("--profile", request.profile,
                     "Print and write the time of core and blocks by function and cause");
}

void add_decision_options(CLI::App& command, RunRequest& request)
{
    command
        .add_option("--record-decisions", request.record_decisions,
                    "Record the run's decisions for later timing-only runs (docs/timing_only.md)")
        ->type_name("FILE");
}

void add_check_options(CLI::App& command, RunRequest& request)
{
    command
        .add_option("--check", request.checks,
                    "Look for overlap (unordered accesses to the same bytes, also by the core), "
                    "uninitialised (reads of unwritten memory), types (operands read as another "
                    "type than written), stack (overflow, at each instruction) or all; may be "
                    "repeated")
        ->type_name("KIND")
        ->take_all()
        ->allow_extra_args(false);
    add_time_option(command, "--max-sim-time", request.max_sim_ps,
                    "End the run at this simulated time, e.g. 10ms");
}

/// Returns whether `--app` names a file: a path, or an ELF file whose name no shipped program
/// has.
bool is_program(const std::string& app)
{
    std::error_code ignored;
    const std::filesystem::path shipped = std::filesystem::path(firmware_folder()) / (app + ".elf");
    return config::is_program_file(app) || (!std::filesystem::exists(shipped, ignored) &&
                                            std::filesystem::is_regular_file(app, ignored));
}

/// Handles `--app`, which names a shipped program, or a file as --elf does. Without SCENARIO, the
/// program runs in the shipped scenario `app`.
void choose_app(RunRequest& request, const std::string& app, bool has_scenario)
{
    const std::filesystem::path file = app;
    if (is_program(app))
        request.elf = file;
    else
        request.overrides.push_back("workload.app=" + app);
    if (has_scenario)
        return;
    request.scenario = shipped_scenario("app");
    if (!request.out)
        request.out = std::filesystem::path("out") / file.stem();
}

void add_run(CLI::App& app, RunRequest& request, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand("run", "Run a scenario");
    const CLI::Option* scenario =
        command
            ->add_option("SCENARIO", request.scenario, "A YAML file, or the name of a shipped one")
            ->capture_default_str();
    add_scenario_options(*command, request);
    CLI::Option* elf =
        command->add_option("--elf", request.elf, "Run this program instead of the scenario's");
    const CLI::Option* program =
        command
            ->add_option(
                "--app",
                "Run this program of firmware/apps, or any ELF file; without SCENARIO, on the "
                "baseline system with no model")
            ->type_name("NAME|FILE")
            ->excludes(elf);
    command
        ->add_option("--stdin", request.input,
                     "Standard input of the program: bytes that the UART receives, or that it "
                     "reads by semihosting")
        ->type_name("FILE");
    add_out_folder(*command, request.out, "Folder for results.json (default: out/SCENARIO)");
    command->add_flag("--quiet", request.quiet,
                      "Print neither the program's output nor the summary");
    command->add_flag_callback(
        "--no-report", [&request] { request.report = false; }, "Write no report.html");
    add_gdb_options(*command, request);
    add_script_option(*command, request);
    add_checkpoint_options(*command, request);
    add_observation_options(*command, request);
    add_check_options(*command, request);
    add_decision_options(*command, request);
    const auto watch = std::make_shared<bool>(false);
    command->add_flag("--watch", *watch,
                      "Run the ELF file of --app or --elf again whenever it changes, until Ctrl-C");
    command->callback([&request, &action, scenario, program, watch] {
        if (program->count() != 0)
            choose_app(request, program->as<std::string>(), scenario->count() != 0);
        else if (scenario->count() == 0)
            request.scenario = shipped_scenario(request.scenario);
        action = [&request] { return run_scenario(request); };
        if (!*watch)
            return;
        if (!request.elf)
            throw CLI::ValidationError("--watch", "there is no file to watch; expected --app or "
                                                  "--elf with an ELF file");
        action = [&request, run = action] { return run_watched(*request.elf, run); };
    });
}

void add_describe(CLI::App& app, RunRequest& request, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "describe", "Print blocks, memory map, registers and interrupts of a system");
    command->add_option("SCENARIO", request.scenario, "A YAML file, or the name of a shipped one")
        ->required();
    add_scenario_options(*command, request);
    const auto resolved = std::make_shared<bool>(false);
    command->add_flag("--resolved", *resolved,
                      "Print the scenario instead, as JSON, with all files and overrides resolved");
    command->callback([&request, &action, resolved] {
        action = [&request, resolved] {
            return *resolved ? print_resolved(request) : describe_scenario(request);
        };
    });
}

std::vector<std::string> commands_of(const CLI::App& app)
{
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        commands.push_back(command->get_name());
    return commands;
}

/// Adds `levee help` and `levee help COMMAND`, which print the text of --help. Must be called after
/// all other commands have been added.
void add_help(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand("help", "List the commands, or one command's options");
    const CLI::Option* name =
        command->add_option("COMMAND", "A command")->check(CLI::IsMember(commands_of(app)));
    command->callback([&app, &action, name] {
        action = [&app, name] {
            const bool of_all = name->count() == 0;
            const CLI::App* which = of_all ? &app : app.get_subcommand(name->as<std::string>());
            const std::string title = app.get_name() + (of_all ? "" : " " + which->get_name());
            std::fputs(
                app.get_formatter()->make_help(which, title, CLI::AppFormatMode::Normal).c_str(),
                stdout);
            return 0;
        };
    });
}

/// Returns whether the command exists; prints an error if it does not.
bool has_command(const CLI::App& app, const std::string& name)
{
    const std::vector<std::string> commands = commands_of(app);
    if (std::find(commands.begin(), commands.end(), name) != commands.end())
        return true;
    std::fprintf(stderr, "unknown command '%s'%s\n", name.c_str(),
                 config::suggestion(name, commands).c_str());
    return false;
}

} // namespace

namespace {

std::string words_of(int argc, char* argv[])
{
    constexpr std::size_t most = 400; // bytes
    std::string words;
    for (int i = 1; i < argc; ++i)
        words += std::string(" ") + argv[i];
    return config::shortened(words, most);
}

/// Executes the command line.
int run_command(int argc, char* argv[])
{
    CLI::App app("Levee, a virtual platform for edge-LLM accelerators", "levee");
    app.set_version_flag("--version", version_text());
    app.require_subcommand(1);
    RunRequest request;
    std::function<int()> action = [] { return 0; };
    add_run(app, request, action);
    add_debug(app, action);
    add_describe(app, request, action);
    sweep::SweepRequest sweep_request;
    add_sweep(app, sweep_request, action);
    add_faults_command(app, action);
    add_explore(app, action);
    compare::Request compare_request;
    add_compare(app, compare_request, action);
    add_export_command(app, action);
    reproduce::Request reproduce_request;
    add_reproduce(app, reproduce_request, action);
    add_import_command(app);
    add_init_command(app, action);
    add_cosim_command(app, action);
    add_calibrate_command(app, action);
    add_report_command(app, action);
    add_schema_command(app, action);
    add_completion_command(app, action);
    add_help(app, action);
    if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1]))
        return bad_usage;
    try {
        app.parse(argc, argv);
        return action();
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0)
            return app.exit(error); // prints help or the version; not an error
        std::fprintf(stderr, "%s\n", config::shortened(usage_error(app, error), most_said).c_str());
        return bad_usage;
    } catch (const Interrupted& signal) {
        std::fprintf(stderr, "%s; to continue, run the same command again\n", signal.what());
        return ended_by_signal;
    } catch (const std::bad_alloc&) {
        std::fflush(stdout);
        std::fprintf(stderr, "levee%s: there is not enough memory for this command\n",
                     words_of(argc, argv).c_str());
        return bad_usage;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", config::shortened(error.what(), most_said).c_str());
        return bad_usage;
    }
}

} // namespace

int run(int argc, char* argv[])
{
    const int code = run_command(argc, argv);
    std::cout.flush();
    errno = 0;
    const bool was_flushed = std::fflush(stdout) == 0;
    if (was_flushed && std::ferror(stdout) == 0 && std::cout.good())
        return code;
    pollfd output{STDOUT_FILENO, 0, 0};
    if (::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0)
        return code != 0 ? code : nobody_reads; // the reader has closed the pipe, as `| head` does;
                                                // this is no error
    std::fprintf(stderr, "levee: standard output could not be written completely%s%s\n",
                 errno != 0 ? ": " : "", errno != 0 ? std::strerror(errno) : "");
    return code != 0 ? code : output_lost;
}

} // namespace levee::cli
