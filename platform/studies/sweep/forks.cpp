// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/forks.hpp"

#include "core/config/output_file.hpp"
#include "platform/run/stop_signals.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace levee::sweep {

namespace {

constexpr std::size_t most_log = 8192; // bytes kept of the end of a process's output

[[noreturn]] void fail(const std::string& what)
{
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

struct Pipe {
    Pipe()
    {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            fail("a pipe to a run cannot be made");
        read = ends[0];
        write = ends[1];
    }
    int read, write;
};

/// A running process, or a free slot.
struct Child {
    pid_t process = 0; ///< 0: the slot is free
    std::size_t index = 0;
    int output = -1, given = -1, log = -1; ///< pipe ends for reading; -1: closed
    std::string handed;
    Ended ended;
};

/// Pipe ends for writing.
struct Ends {
    int output, given, log;
};

/// Forks. The new process ends when this one does.
pid_t fork_bound()
{
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0)
        fail("a process for a run cannot be started");
    if (process == 0) {
        StopSignals::leave_to_parent();
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
            ::_exit(1); // the parent ended before the signal was requested
    }
    return process;
}

/// Executes a task in the new process, and ends this process.
[[noreturn]] void live(const Task& task, const Handed& handed, std::size_t index, unsigned slot,
                       const Ends& ends)
{
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(ends.log, STDOUT_FILENO);
    ::dup2(ends.log, STDERR_FILENO);
    int code = 1;
    try {
        code = task(index, slot, ends.output);
        hand_over(handed.give(), ends.given);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(nullptr);
    ::_exit(code);
}

Child start(const Task& task, const Handed& handed, std::size_t index, unsigned slot)
{
    const Pipe output, given, log;
    Child child;
    child.process = fork_bound();
    if (child.process == 0)
        live(task, handed, index, slot, {output.write, given.write, log.write});
    for (const Pipe* pipe : {&output, &given, &log})
        ::close(pipe->write);
    child.index = index;
    child.output = output.read;
    child.given = given.read;
    child.log = log.read;
    return child;
}

/// Reads what has arrived, and keeps the last `most` bytes. When the pipe has ended, closes it and
/// sets `end` to -1.
void take(int& end, std::string& text, std::size_t most)
{
    std::array<char, 65536> block{};
    const ssize_t got = ::read(end, block.data(), block.size());
    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        ::close(end);
        end = -1;
        return;
    }
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > most)
        text.erase(0, text.size() - most);
}

int wait_for(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void wait_for(Child& child)
{
    const int status = wait_for(child.process);
    child.ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
    child.process = 0;
}

/// The slots for simultaneous processes. The destructor kills processes that are still running.
class Children {
public:
    explicit Children(unsigned slots) : all_(slots) {}
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
    ~Children()
    {
        for (Child& child : all_) {
            if (child.process == 0)
                continue;
            ::kill(child.process, SIGKILL);
            wait_for(child);
        }
    }

    /// Starts tasks in the free slots, as long as there are tasks.
    void fill(const Task& task, const Handed& handed,
              const std::function<std::optional<std::size_t>()>& next)
    {
        for (unsigned slot = 0; slot < all_.size(); ++slot) {
            if (all_[slot].process != 0)
                continue;
            const std::optional<std::size_t> index = next();
            if (!index)
                return;
            all_[slot] = start(task, handed, *index, slot);
        }
    }

    /// Waits until one process has ended. Returns null if none is running. Throws Interrupted if a
    /// signal comes first.
    Child* wait_for_one()
    {
        while (true) {
            std::vector<pollfd> ends;
            for (Child& child : all_) {
                if (child.process != 0 && child.output < 0 && child.given < 0 && child.log < 0) {
                    wait_for(child);
                    return &child;
                }
                for (const int end : {child.output, child.given, child.log})
                    if (child.process != 0 && end >= 0)
                        ends.push_back({end, POLLIN, 0});
            }
            if (ends.empty())
                return nullptr;
            ends.push_back({signals_.descriptor(), POLLIN, 0});
            if (::poll(ends.data(), ends.size(), -1) <= 0)
                continue;
            if (ends.back().revents != 0)
                throw Interrupted("ended by " + signals_.wait());
            read(ends);
        }
    }

private:
    void read(const std::vector<pollfd>& ends)
    {
        for (const pollfd& end : ends)
            for (Child& child : all_) {
                if (end.revents != 0 && child.output == end.fd)
                    take(child.output, child.ended.output, std::string::npos);
                else if (end.revents != 0 && child.given == end.fd)
                    take(child.given, child.handed, std::string::npos);
                else if (end.revents != 0 && child.log == end.fd)
                    take(child.log, child.ended.log, most_log);
            }
    }

    StopSignals signals_;
    std::vector<Child> all_;
};

} // namespace

void run_forks(std::size_t count, unsigned at_once, const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended)
{
    std::size_t next = 0;
    run_forks([&] { return next < count ? std::optional(next++) : std::nullopt; }, at_once, task,
              handed, ended);
}

void run_forks(const std::function<std::optional<std::size_t>()>& next, unsigned at_once,
               const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended)
{
    Children children(at_once);
    bool goes_on = true;
    while (true) {
        if (goes_on)
            children.fill(task, handed, next);
        Child* const child = children.wait_for_one();
        if (child == nullptr)
            return;
        handed.take(child->handed);
        goes_on = ended(child->index, std::move(child->ended)) && goes_on;
    }
}

bool go_on_in_copy()
{
    const pid_t copy = fork_bound();
    if (copy != 0)
        wait_for(copy);
    return copy == 0;
}

void print_into(const std::filesystem::path& file)
{
    const int log = config::open_new_output(file);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::close(log);
}

void hand_over(const std::string& text, int output)
{
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t part = ::write(output, text.data() + written, text.size() - written);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return; // the process that should read this has ended
        written += static_cast<std::size_t>(part);
    }
}

} // namespace levee::sweep
