// SPDX-License-Identifier: Apache-2.0
#include "platform/input/rtl/tools.hpp"

#include "platform/input/config/error.hpp"
#include "platform/input/rtl/build_settings.hpp" // written by CMake

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

/// The parts of a CMake list.
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

/// Below the build's folder; of a program that cannot write there, in the user's cache.
fs::path cache_folder()
{
    if (const std::string own = environment("LEVEE_RTL_CACHE"); !own.empty())
        return own;
    if (access(settings::build_folder, W_OK) == 0)
        return fs::path(settings::build_folder) / "own_rtl";
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
    for (const std::string& library : split(settings::verilated_libraries))
        tools.verilated_libraries.emplace_back(library);
    tools.sources = settings::source_folder;
    // An installed tree has both beside the program (cmake/LeveeInstall.cmake).
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
    const fs::path installed = (program / "../share/levee").lexically_normal();
    if (fs::exists(installed / "source/rtl", failed)) {
        tools.sources = installed / "source";
        for (fs::path& library : tools.verilated_libraries)
            library = installed / "lib" / library.filename();
    }
    tools.cache = fs::absolute(cache_folder());
    return tools;
}

int run_command(const std::vector<std::string>& words, const fs::path& log)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
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
    constexpr int no_such_program = 127;
    if (error != 0)
        return no_such_program;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    constexpr int signal_base = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

std::string read_text(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_text(const fs::path& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        throw config::Error(path.string() + ": cannot be written");
}

} // namespace levee::own_rtl
