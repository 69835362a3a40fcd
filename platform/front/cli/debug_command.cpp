// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/debug_command.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace levee::cli {

namespace {

constexpr const char* usual_gdb = "gdb-multiarch";
constexpr int not_started = 127; ///< exit code if a program cannot be started, as in a shell
constexpr int never_reached = 1; ///< exit code if GDB succeeds without continuing the run

struct Debugged {
    std::string file;
    std::vector<std::string> options;
};

/// Replaces this process by a program. If that fails, prints a message that ends with `hint`, and
/// exits.
[[noreturn]] void execute(const std::vector<std::string>& words, const char* hint)
{
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "%s cannot be started: %s%s\n", arguments[0], std::strerror(errno), hint);
    ::_exit(not_started);
}

pid_t fork_or_throw()
{
    std::fflush(nullptr);
    const pid_t process = ::fork();
    if (process < 0)
        throw std::runtime_error(std::string("debug: a process cannot be started: ") +
                                 std::strerror(errno));
    return process;
}

/// Starts the run in its own process group, so that Ctrl-C reaches only GDB. `output` becomes a
/// file descriptor from which the run's output is read.
pid_t start_run(const Debugged& debugged, int& output)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("debug: a pipe cannot be created: ") +
                                 std::strerror(errno));
    const pid_t process = fork_or_throw();
    if (process == 0) {
        ::setpgid(0, 0);
        ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
        ::dup2(ends[1], STDOUT_FILENO);
        std::vector<std::string> words{"/proc/self/exe", "run", "--app",     debugged.file,
                                       "--gdb",          "0",   "--gdb-once"};
        words.insert(words.end(), debugged.options.begin(), debugged.options.end());
        execute(words, "");
    }
    ::close(ends[1]);
    output = ends[0];
    return process;
}

/// Prints the run's output up to the line with the port. Returns the port; empty if the run ended
/// earlier.
std::string port_of(int output)
{
    constexpr std::string_view before = "gdb: listening on 127.0.0.1:";
    std::string line;
    for (char c = 0; ::read(output, &c, 1) == 1;) {
        if (c != '\n') {
            line += c;
            continue;
        }
        if (line.starts_with(before))
            return line.substr(before.size());
        std::printf("%s\n", line.c_str());
        line.clear();
    }
    return {};
}

/// Prints the run's remaining output as it arrives.
void pass_on(int output)
{
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = ::read(output, block.data(), block.size())) > 0;)
        if (::write(STDOUT_FILENO, block.data(), static_cast<std::size_t>(got)) != got)
            return;
}

/// Waits until the process has ended, and returns its status from waitpid().
int status_of(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int code_of(pid_t process)
{
    const int status = status_of(process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string gdb_name()
{
    const char* const named = std::getenv("LEVEE_GDB");
    return named != nullptr && *named != '\0' ? named : usual_gdb;
}

/// Runs GDB, and prints the run's output meanwhile. Returns GDB's exit code.
int run_gdb(const Debugged& debugged, const std::string& port, int output)
{
    const pid_t gdb = fork_or_throw();
    if (gdb == 0)
        execute({gdb_name(), "-q", debugged.file, "-ex", "target remote 127.0.0.1:" + port},
                "; expected a GDB for RISC-V: Debian's package gdb-multiarch, or the name of "
                "another in LEVEE_GDB");
    std::signal(SIGINT, SIG_IGN); // Ctrl-C is only for GDB
    if (fork_or_throw() == 0) {
        pass_on(output);
        ::_exit(0);
    }
    return code_of(gdb);
}

int debug(const Debugged& debugged)
{
    int output = -1;
    const pid_t run = start_run(debugged, output);
    const std::string port = port_of(output);
    if (port.empty())
        return code_of(run);
    const int code = run_gdb(debugged, port, output);
    ::kill(run, SIGTERM); // has an effect only if GDB never connected to the run
    const int status = status_of(run);
    const bool reached = !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
    if (reached || code == not_started)
        return code;
    std::fprintf(stderr,
                 "'%s' has ended without continuing the run, which has no results; expected a "
                 "GDB for RISC-V that continues after 'target remote 127.0.0.1:%s'\n",
                 gdb_name().c_str(), port.c_str());
    return code != 0 ? code : never_reached;
}

/// Refuses --gdb options, because the command itself chooses the port. With such an option, GDB
/// would connect to a different port than the run opens.
void refuse_gdb_options(const std::vector<std::string>& options)
{
    for (const std::string& option : options)
        if (option.starts_with("--gdb"))
            throw CLI::ValidationError(
                option,
                "'debug' opens the port for GDB itself; expected options of 'run' other than "
                "--gdb, --gdb-wait and --gdb-once");
}

} // namespace

void add_debug(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "debug", "Run an ELF file under GDB, in one terminal; further options are those of 'run'");
    const auto debugged = std::make_shared<Debugged>();
    command->add_option("FILE", debugged->file, "An ELF file")
        ->required()
        ->check(CLI::ExistingFile);
    command->allow_extras();
    command->callback([command, debugged, &action] {
        debugged->options = command->remaining();
        refuse_gdb_options(debugged->options);
        action = [debugged] { return debug(*debugged); };
    });
}

} // namespace levee::cli
