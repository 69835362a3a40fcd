// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test/system/program.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace levee::test {

/// Runs the program in its own session in parallel to the test, until a signal ends it.
class Running {
public:
    Running(const Workplace& place, std::vector<std::string> words) : place_(place)
    {
        words.insert(words.begin(), LEVEE_PROGRAM);
        std::vector<char*> list;
        for (std::string& word : words)
            list.push_back(word.data());
        list.push_back(nullptr);
        child_ = fork();
        REQUIRE(child_ >= 0);
        if (child_ == 0) {
            setsid();
            for (const int signal :
                 {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM})
                std::signal(signal, SIG_DFL);
            if (chdir(place.path(".").c_str()) != 0 ||
                std::freopen("output.txt", "w", stdout) == nullptr || dup2(1, 2) < 0)
                _exit(127);
            execv(list[0], list.data());
            _exit(127);
        }
    }
    ~Running()
    {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// Waits for a condition that must become true while the program runs.
    void wait_until(const std::function<bool()>& is_so) const
    {
        while (!is_so()) {
            REQUIRE(waitpid(child_, nullptr, WNOHANG) == 0);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    /// Sends the signal to the whole session or only to the program. Returns the exit code, or -1
    /// if the program was killed.
    int end(int signal, bool session = false)
    {
        send(signal, session);
        return wait();
    }

    void send(int signal, bool session = false) const
    {
        REQUIRE(::kill(session ? -child_ : child_, signal) == 0);
    }

    /// Waits until the program has handled the signals that were sent to it. It handles pending
    /// signals as soon as it runs.
    void wait_until_handled() const
    {
        const std::string status = "/proc/" + std::to_string(child_) + "/status";
        for (bool pending = true; pending;) {
            pending = false;
            std::ifstream lines(status);
            for (std::string line; std::getline(lines, line);)
                if (line.starts_with("ShdPnd:"))
                    pending = line.find_first_of("123456789abcdef", 7) != std::string::npos;
            std::this_thread::yield();
        }
    }

    /// Returns the exit code, or -1 if a signal killed the program.
    int wait()
    {
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = 0;
        UNSCOPED_INFO(place_.read("output.txt"));
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    const Workplace& place_;
    pid_t child_ = 0;
};

} // namespace levee::test
