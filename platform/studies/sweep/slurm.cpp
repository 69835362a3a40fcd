// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/slurm.hpp"

#include "core/config/regular_file.hpp"
#include "platform/observe/report/output_folder.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

constexpr int between_looks_ms = 1000;

/// Returns the script of a task, which executes as many runs at a time as it has processor cores.
std::string script_of(const SlurmArray& array)
{
    std::string text = "#!/bin/sh\nexec";
    for (const std::string& word : array.command)
        text += " " + shell_word(word);
    return text + " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(array.of) +
           "\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n";
}

std::vector<std::string> sbatch_of(const SlurmArray& array, const fs::path& script)
{
    std::string tasks;
    for (const unsigned shard : array.shards)
        tasks += (tasks.empty() ? "" : ",") + std::to_string(shard);
    std::vector<std::string> words{"sbatch",           "--wait",
                                   "--parsable",       "--job-name=" + array.name,
                                   "--array=" + tasks, "--output=" + array.log_of("%a").string()};
    words.insert(words.end(), array.options.begin(), array.options.end());
    words.push_back(script.string());
    return words;
}

/// Starts a program from the PATH. `output` becomes a descriptor for reading its output.
pid_t start_program(std::vector<std::string> words, int& output)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(words[0] + ": cannot create a pipe: " + std::strerror(errno));
    const pid_t child = ::fork();
    if (child == 0) {
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::dup2(ends[1], STDOUT_FILENO);
        ::execvp(arguments[0], arguments.data());
        const std::string why = words[0] + " cannot be started: " + std::strerror(errno) + "\n";
        (void)!::write(STDERR_FILENO, why.data(), why.size());
        ::_exit(127);
    }
    ::close(ends[1]);
    output = ends[0];
    if (child < 0)
        throw std::runtime_error(words[0] + " cannot be started: " + std::strerror(errno));
    return child;
}

/// Reads until the end, and calls `waiting` whenever nothing arrives.
std::string read_all(int output, const std::function<void()>& waiting)
{
    std::string text;
    while (true) {
        pollfd end{output, POLLIN, 0};
        if (::poll(&end, 1, between_looks_ms) <= 0) {
            waiting();
            continue;
        }
        std::array<char, 1024> block{};
        const ssize_t got = ::read(output, block.data(), block.size());
        if (got <= 0)
            break;
        text.append(block.data(), static_cast<std::size_t>(got));
    }
    ::close(output);
    return text;
}

} // namespace

std::string shell_word(const std::string& word)
{
    std::string text = "'";
    for (const char c : word)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

void run_array(const SlurmArray& array, const std::function<void()>& waiting)
{
    const OutputFolder folder =
        OutputFolder(array.folder.parent_path()).inner(array.folder.filename());
    folder.write("job.sh", script_of(array));
    int output = -1;
    const pid_t child = start_program(sbatch_of(array, folder.path() / "job.sh"), output);
    const std::string job = read_all(output, waiting);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    // If the job was submitted, the exit code is that of its tasks. This code is ignored, since the
    // journals have more details.
    if (job.empty())
        throw std::runtime_error("sbatch did not submit the job (exit code " +
                                 std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) +
                                 "); expected a Slurm cluster that accepts jobs from this host");
}

JournalWatch::JournalWatch(fs::path folder) : folder_(std::move(folder))
{
    (void)look();
}

std::size_t JournalWatch::added()
{
    return look();
}

/// Returns the number of lines that were added to journals since the last call.
std::size_t JournalWatch::look()
{
    std::size_t lines = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
        if (entry.path().extension() != journal_extension)
            continue;
        auto known = std::find_if(seen_.begin(), seen_.end(),
                                  [&](const Seen& seen) { return seen.file == entry.path(); });
        if (known == seen_.end())
            known = seen_.insert(seen_.end(), {entry.path(), 0});
        std::ifstream stream = config::regular_stream(entry.path());
        stream.seekg(static_cast<std::streamoff>(known->bytes));
        std::string block(1 << 16, '\0');
        while (stream.read(block.data(), static_cast<std::streamsize>(block.size())),
               stream.gcount() > 0) {
            const auto end = block.begin() + stream.gcount();
            lines += static_cast<std::size_t>(std::count(block.begin(), end, '\n'));
            known->bytes += static_cast<std::uintmax_t>(stream.gcount());
        }
    }
    return lines;
}

} // namespace levee::sweep
