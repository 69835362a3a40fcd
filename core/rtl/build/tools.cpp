// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/tools.hpp"

#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"
#include "core/rtl/build/build_settings.hpp"
#include "core/shipped/shipped.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;

/// Splits a CMake list.
std::vector<std::string> split(const char* list)
{
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ';');)
        if (!word.empty())
            words.push_back(word);
    return words;
}

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// Folder of built designs: LEVEE_RTL_CACHE if it is set; below the build folder if that is
/// writable and the program runs from it; otherwise in the user's cache.
fs::path cache_folder(const Shipped& own)
{
    if (const std::string named = environment("LEVEE_RTL_CACHE"); !named.empty())
        return named;
    if (own.build && access(own.build->c_str(), W_OK) == 0)
        return *own.build / "own_rtl";
    if (const std::string caches = environment("XDG_CACHE_HOME"); !caches.empty())
        return fs::path(caches) / "levee/rtl";
    return fs::path(environment("HOME")) / ".cache/levee/rtl";
}

} // namespace

Tools default_tools()
{
    Tools tools;
    tools.verilator = settings::verilator;
    tools.compiler = split(settings::compiler);
    tools.verilator_arguments = split(settings::verilator_arguments);
    tools.verilated_includes = split(settings::verilated_includes);
    tools.verilated_definitions = split(settings::verilated_definitions);
    tools.twin_arguments = split(settings::twin_arguments);
    const Shipped own = shipped();
    for (const std::string& library : split(settings::verilated_libraries))
        tools.verilated_libraries.push_back(own.archives / library);
    tools.sources = own.sources;
    tools.cache = fs::absolute(cache_folder(own));
    return tools;
}

int run_command(const std::vector<std::string>& words, const fs::path& log)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const int output = config::open_output(log, {.appends = true, .named = log == "/dev/stderr"});
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    for (std::string& word : copies)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(output);
    constexpr int no_such_program = 127;
    if (error != 0)
        return no_such_program;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int signal_base = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

std::optional<std::string> bytes_of(const fs::path& path)
{
    constexpr std::uint64_t most_file_bytes = std::uint64_t{4} << 30; // Limit on sources, logs and
                                                                      // libraries.
    std::string why;
    return config::read_file(path, most_file_bytes, why);
}

std::string read_text(const fs::path& path)
{
    return bytes_of(path).value_or("");
}

void write_text(const fs::path& path, const std::string& text)
{
    std::ofstream file = config::output_stream(path);
    file << text;
    file.close();
    if (!file)
        throw config::Error(path.string() + ": cannot be written");
}

} // namespace levee::own_rtl
