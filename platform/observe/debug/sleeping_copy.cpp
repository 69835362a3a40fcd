// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/sleeping_copy.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace levee::debug {

namespace {

constexpr std::size_t longest_text = 64 * 1024;
constexpr std::size_t most_fds = 128;

[[noreturn]] void fail(const char* what)
{
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// An open file and the position in it. For a file that is opened for appending, the position is
/// its end.
struct FilePlace {
    int fd;
    off_t offset;
};

bool is_appended(int fd)
{
    return (fcntl(fd, F_GETFL) & O_APPEND) != 0;
}

/// Returns whether a file is stdout or stderr. All processes share these two, so that text is not
/// printed twice.
bool is_output(const struct stat& file)
{
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat output {};
        if (fstat(fd, &output) == 0 && output.st_dev == file.st_dev && output.st_ino == file.st_ino)
            return true;
    }
    return false;
}

std::vector<FilePlace> open_files()
{
    std::vector<FilePlace> all;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int fd = std::atoi(entry.path().filename().c_str());
        struct stat status {};
        if (fd <= STDERR_FILENO || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
            is_output(status))
            continue;
        all.push_back({fd, is_appended(fd) ? status.st_size : lseek(fd, 0, SEEK_CUR)});
    }
    return all;
}

/// Gives this process its own open files, at the recorded positions, in place of files shared with
/// other processes. Cuts off data that another process has written after these positions.
void reopen(const std::vector<FilePlace>& files)
{
    for (const FilePlace& file : files) {
        const int mode = fcntl(file.fd, F_GETFL) & (O_ACCMODE | O_APPEND);
        const std::string path = "/proc/self/fd/" + std::to_string(file.fd);
        const OwnedFd own(open(path.c_str(), mode | O_CLOEXEC));
        if (!own.valid())
            continue; // this process has no permission to open the file again
        if ((mode & O_ACCMODE) != O_RDONLY && ftruncate(own.get(), file.offset) != 0)
            continue;
        lseek(own.get(), file.offset, SEEK_SET);
        dup2(own.get(), file.fd);
    }
}

bool send(int socket, const std::string& text, const std::vector<int>& fds)
{
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_fds * sizeof(int))> control{};
    iovec part{const_cast<char*>(text.data()), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// Receives a handover. Returns nothing if the other process has ended.
std::optional<Handover> receive(int socket)
{
    alignas(cmsghdr) std::array<char, CMSG_SPACE(most_fds * sizeof(int))> control{};
    Handover handover;
    handover.text.resize(longest_text);
    iovec part{handover.text.data(), handover.text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0)
        return std::nullopt;
    handover.text.resize(static_cast<std::size_t>(got));
    for (cmsghdr* h = CMSG_FIRSTHDR(&message); h != nullptr; h = CMSG_NXTHDR(&message, h))
        for (std::size_t at = 0; CMSG_LEN(at) < h->cmsg_len; at += sizeof(int)) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(h) + at, sizeof fd);
            handover.fds.emplace_back(fd);
        }
    return handover;
}

void flush_all()
{
    std::fflush(stdout);
    std::fflush(stderr);
}

} // namespace

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept
{
    if (fd_ >= 0)
        close(fd_);
    fd_ = std::exchange(other.fd_, -1);
    return *this;
}

OwnedFd::~OwnedFd()
{
    if (fd_ >= 0)
        close(fd_);
}

SleepingCopies::SleepingCopies()
{
    void* const page =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::array<int, 2> life{};
    if (page == MAP_FAILED || pipe2(life.data(), O_CLOEXEC) != 0)
        fail("checkpoints");
    shared_ = new (page) Shared;
    shared_->active = getpid();
    life_read_ = OwnedFd(life[0]);
    life_write_ = OwnedFd(life[1]);
    // When the parent of the process that continues the run ends, that process becomes a child of
    // this one.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

SleepingCopies::~SleepingCopies()
{
    munmap(shared_, sizeof(Shared));
}

SleepingCopies::Made SleepingCopies::make(const std::vector<int>& inherited)
{
    std::array<int, 2> sockets{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0)
        fail("a checkpoint cannot be made");
    Made made{OwnedFd(sockets[0]), std::nullopt};
    OwnedFd control(sockets[1]);
    flush_all();
    while (waitpid(-1, nullptr, WNOHANG) > 0)
        continue; // collects copies that have ended
    const std::vector<FilePlace> files = open_files();
    const pid_t child = fork();
    if (child < 0)
        fail("a checkpoint cannot be made");
    if (child > 0)
        return made;
    first_ = false;
    life_write_ = OwnedFd();
    made.wake = OwnedFd();
    for (const int fd : inherited)
        close(fd);
    made.woken = sleep_and_serve(control.get());
    reopen(files);
    shared_->active = getpid();
    return made;
}

/// Runs in a copy of the process. It waits for a request to continue the run, forks twice, and
/// returns in the grandchild. The child exits at once, so that the first process becomes the
/// grandchild's parent.
Handover SleepingCopies::sleep_and_serve(int control)
{
    for (;;) {
        std::array<pollfd, 2> wait{pollfd{control, POLLIN, 0}, pollfd{life_read_.get(), POLLIN, 0}};
        if (poll(wait.data(), wait.size(), -1) < 0 && errno == EINTR)
            continue;
        if (wait[1].revents != 0)
            _exit(0);
        std::optional<Handover> handover = receive(control);
        if (!handover)
            _exit(0);
        const pid_t between = fork();
        if (between == 0) {
            const pid_t next = fork();
            if (next == 0)
                return std::move(*handover);
            _exit(next < 0 ? 1 : 0);
        }
        int status = 0;
        if (between > 0)
            waitpid(between, &status, 0);
    }
}

bool SleepingCopies::hand_over(int wake, const std::string& text, const std::vector<int>& fds)
{
    flush_all();
    if (text.size() > longest_text || fds.size() > most_fds)
        return false;
    const pid_t self = std::exchange(shared_->active, 0);
    if (!send(wake, text, fds)) {
        shared_->active = self;
        return false;
    }
    if (!first_)
        _exit(0);
    for (const int fd : fds)
        close(fd);
    supervise();
}

/// Runs in the first process. Waits for the end of the process that continues the run, and then
/// ends with the same status. Flushes and destroys nothing, since files and results belong to the
/// other process.
void SleepingCopies::supervise() const
{
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno == ECHILD)
            _exit(1);
        if (ended != shared_->active)
            continue;
        if (WIFEXITED(status))
            _exit(WEXITSTATUS(status));
        std::signal(WTERMSIG(status), SIG_DFL);
        std::raise(WTERMSIG(status));
        _exit(1);
    }
}

} // namespace levee::debug
