// SPDX-License-Identifier: Apache-2.0
#include "platform/run/stop_signals.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace levee {

namespace {

/// A signal that would end the process.
struct Stop {
    int signal;
    bool impatient; ///< true: if a user repeats the signal, the process ends at once
};

// A repetition of the signals marked `false` does not come from an impatient user. A closing
// terminal sends SIGHUP more than once, and batch systems send the others before a limit.
constexpr std::array stops{Stop{SIGINT, true},   Stop{SIGTERM, true},  Stop{SIGQUIT, true},
                           Stop{SIGHUP, false},  Stop{SIGUSR1, false}, Stop{SIGUSR2, false},
                           Stop{SIGXCPU, false}, Stop{SIGALRM, false}, Stop{SIGVTALRM, false},
                           Stop{SIGPROF, false}, Stop{SIGPWR, false},  Stop{SIGIO, false}};

// Only a signal that is repeated after this time comes from a user. Tools that kill a process group
// send one signal to the process and one to its group, almost at the same time.
constexpr std::int64_t least_between_ns = 1'000'000'000;

std::atomic<int> write_end = -1; // pipe end of the active object, for writing
std::atomic<std::int64_t> first_ns = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

bool is_impatient(int signal)
{
    return std::ranges::any_of(
        stops, [&](const Stop& stop) { return stop.signal == signal && stop.impatient; });
}

/// Returns whether a user has repeated the signal.
bool is_repeated(int signal)
{
    if (!is_impatient(signal))
        return false;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t now_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
    std::int64_t first = 0;
    return !first_ns.compare_exchange_strong(first, now_ns) && now_ns - first >= least_between_ns;
}

extern "C" void levee_on_stop_signal(int signal)
{
    const int error = errno;
    if (is_repeated(signal)) {
        std::signal(signal, SIG_DFL);
        (void)raise(signal); // takes effect when this function returns
    } else {
        const char byte = static_cast<char>(signal);
        (void)!::write(write_end, &byte, 1);
    }
    errno = error;
}

extern "C" void levee_on_failed_write(int) {}

/// Installs a handler for a signal that has its default action. An ignored signal, as under nohup,
/// stays ignored. Programs that this process starts get the default action again.
void handle(int signal, void (*handler)(int))
{
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL)
        return;
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

} // namespace

StopSignals::StopSignals()
{
    if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0 || ::fcntl(ends_[0], F_SETFL, 0) != 0)
        throw std::runtime_error(std::string("a pipe for signals cannot be made: ") +
                                 std::strerror(errno));
    write_end = ends_[1];
    first_ns = 0;
    for (const Stop& stop : stops)
        handle(stop.signal, levee_on_stop_signal);
}

StopSignals::~StopSignals()
{
    for (const Stop& stop : stops) {
        struct sigaction old {};
        if (sigaction(stop.signal, nullptr, &old) == 0 && old.sa_handler == levee_on_stop_signal)
            std::signal(stop.signal, SIG_DFL);
    }
    write_end = -1;
    for (const int end : ends_)
        ::close(end);
}

std::string StopSignals::wait() const
{
    char byte = 0;
    while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
    }
    return byte == 0 ? "" : std::string("SIG") + ::sigabbrev_np(byte);
}

void StopSignals::release() const
{
    const char byte = 0;
    (void)!::write(ends_[1], &byte, 1);
}

void StopSignals::leave_to_parent()
{
    for (const Stop& stop : stops)
        std::signal(stop.signal, SIG_IGN);
}

void let_writes_fail()
{
    for (const int signal : {SIGPIPE, SIGXFSZ})
        handle(signal, levee_on_failed_write);
}

} // namespace levee
