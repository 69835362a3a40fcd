// SPDX-License-Identifier: Apache-2.0
#include "platform/run/stop_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace levee {

namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t write_end = -1; // of the one that lives

void set_usual()
{
    for (const int signal : signals) {
        struct sigaction old {};
        if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
            std::signal(signal, SIG_DFL);
    }
}

extern "C" void levee_on_stop_signal(int signal)
{
    const int error = errno;
    set_usual();
    const char byte = static_cast<char>(signal);
    (void)!::write(write_end, &byte, 1);
    errno = error;
}

} // namespace

StopSignals::StopSignals()
{
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("no pipe for signals: ") + std::strerror(errno));
    write_end = ends_[1];
    for (const int signal : signals) {
        struct sigaction old {};
        if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN)
            continue; // as of nohup
        struct sigaction action {};
        action.sa_handler = levee_on_stop_signal;
        action.sa_flags = SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
}

StopSignals::~StopSignals()
{
    set_usual();
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
    for (const int signal : signals)
        std::signal(signal, SIG_IGN);
}

} // namespace levee
