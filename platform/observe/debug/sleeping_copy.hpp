// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace levee::debug {

/// Owns a file descriptor, and closes it in the destructor.
class OwnedFd {
public:
    OwnedFd() = default;
    explicit OwnedFd(int fd) : fd_(fd) {}
    OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    OwnedFd& operator=(OwnedFd&& other) noexcept;
    ~OwnedFd();

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool valid() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }

private:
    int fd_ = -1;
};

/// Text and file descriptors for the process that continues the run.
struct Handover {
    std::string text;
    std::vector<OwnedFd> fds;
};

/// Copies of the running process (fork(2)). A copy sleeps until the run is
/// continued from its position. The first process stays until the end of the
/// run and returns the exit code of the process that was active last; all
/// copies then end. A copy keeps its memory and its position in each open file,
/// and writes the data after that position again. Pipes and terminals are
/// shared.
class SleepingCopies {
public:
    /// Makes the current process the first one.
    SleepingCopies();
    ~SleepingCopies();
    SleepingCopies(const SleepingCopies&) = delete;
    SleepingCopies& operator=(const SleepingCopies&) = delete;

    /// Memory that the processes of a run share.
    struct Shared {
        pid_t active = 0;
        std::uint64_t text_bytes = 0; ///< number of bytes of the program's text that have been
                                      ///< printed
        std::uint64_t furthest = 0;   ///< the latest cycle that any process has reached since the
                                      ///< debugger last changed the system
    };
    [[nodiscard]] Shared& shared() const { return *shared_; }

    struct Made {
        OwnedFd wake;
        std::optional<Handover> woken;
    };
    /// Makes a copy of this process; no other thread may run. The caller gets `wake`, a socket that
    /// wakes the copy. The copy ends when all its sockets are closed. Whenever it is woken, it
    /// makes a new copy of itself, in which this function returns again. The new copy closes
    /// `inherited`, and `woken` has the data that were handed over. Throws std::runtime_error if no
    /// copy can be made.
    [[nodiscard]] Made make(const std::vector<int>& inherited);

    /// Lets a copy continue the run. Does not return on success. Returns false if the copy no
    /// longer exists, or if the handover is too large.
    [[nodiscard]] bool hand_over(int wake, const std::string& text, const std::vector<int>& fds);

    /// Returns a file descriptor that reaches end of file when the first process ends; -1 in the
    /// first process itself.
    [[nodiscard]] int life() const { return first_ ? -1 : life_read_.get(); }

private:
    [[noreturn]] void supervise() const;
    [[nodiscard]] Handover sleep_and_serve(int control);

    Shared* shared_ = nullptr;
    bool first_ = true;
    OwnedFd life_read_, life_write_;
};

} // namespace levee::debug
