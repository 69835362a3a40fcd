// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace levee::debug {

/// A file descriptor, closed with its owner.
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

/// Text and file descriptors that a process hands to the one that carries on its run.
struct Handover {
    std::string text;
    std::vector<OwnedFd> fds;
};

/// Copies of the running process (fork(2)) that sleep until the run is continued from their point.
/// The first process stays until the end of the run and returns the exit code of the last active
/// process. All copies end with it.
///
/// A copy has the memory of its time and its own position in every open file; data after that
/// position are written again. Pipes and terminals are shared.
class SleepingCopies {
public:
    /// The present process is the first.
    SleepingCopies();
    ~SleepingCopies();
    SleepingCopies(const SleepingCopies&) = delete;
    SleepingCopies& operator=(const SleepingCopies&) = delete;

    /// The shared memory of the processes of one run.
    struct Shared {
        pid_t active = 0;             ///< the process that carries on the run
        std::uint64_t text_bytes = 0; ///< number of printed bytes of the program's text
        std::uint64_t furthest = 0;   ///< cycle that the run has reached
    };
    [[nodiscard]] Shared& shared() const { return *shared_; }

    /// Makes a copy. No other thread may run. Returns twice. The caller gets `wake`, a socket that
    /// wakes the copy; the copy ends when all its sockets are closed. Each time the copy is woken,
    /// a new copy of it gets `woken`, the handed-over data, after closing `inherited`. Throws
    /// std::runtime_error if no copy can be made.
    struct Made {
        OwnedFd wake;
        std::optional<Handover> woken;
    };
    [[nodiscard]] Made make(const std::vector<int>& inherited);

    /// Lets a copy carry on the run. Returns only if the copy is gone, and then false.
    [[nodiscard]] bool hand_over(int wake, const std::string& text, const std::vector<int>& fds);

    /// Readable, at end of file, once the first process has ended; -1 in the first.
    [[nodiscard]] int life() const { return first_ ? -1 : life_read_.get(); }

private:
    [[noreturn]] void supervise() const;
    [[nodiscard]] Handover sleep_and_serve(int control);

    Shared* shared_ = nullptr;
    bool first_ = true;
    OwnedFd life_read_, life_write_;
};

} // namespace levee::debug
