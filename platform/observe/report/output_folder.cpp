// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/output_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace levee {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_ending = ".tmp";

fs::path temporary_name(const fs::path& file)
{
    return file.string() + "." + std::to_string(::getpid()) + std::string(temporary_ending);
}

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& reason)
{
    throw std::runtime_error(path.string() + ": " + what + ": " + reason);
}

/// The process that has a lock of the directory, by the system's list of locks.
std::string holder_of(int directory)
{
    struct stat status {};
    if (::fstat(directory, &status) != 0)
        return "another process";
    const std::string inode = ":" + std::to_string(status.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line); // "1: FLOCK ADVISORY WRITE 123 08:01:4567 0 EOF"
        std::string number, kind, manner, access, process, file;
        words >> number >> kind >> manner >> access >> process >> file;
        if (kind == "FLOCK" && file.ends_with(inode))
            return "process " + process;
    }
    return "another process";
}

} // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path))
{
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_))
        fail(path_, "cannot make the output folder",
             error ? error.message() : "there is a file of this name");
    const fs::path probe = temporary_name(path_ / probe_file);
    if (!std::ofstream(probe))
        fail(path_, "cannot write into the output folder", std::strerror(errno));
    fs::remove(probe, error);
}

void OutputFolder::lock()
{
    const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;
    lock_ = std::shared_ptr<void>(nullptr, [directory](void*) { ::close(directory); });
    if (::flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return;
    throw std::runtime_error(path_.string() + ": another run writes into this folder (" +
                             holder_of(directory) +
                             "); expected a folder of its own ('--out'), or its end");
}

void OutputFolder::write(const std::string& name, const std::string& content) const
{
    write_atomically(path_ / name, content);
}

void OutputFolder::remove(const std::string& name) const
{
    std::error_code none_there;
    const fs::path file = path_ / name;
    if (fs::is_directory(fs::symlink_status(file, none_there)))
        fail(file, "cannot be written", "it is a folder; expected a file, or none yet");
    fs::remove(file, none_there);
}

void write_atomically(const fs::path& file, const std::string& content)
{
    const fs::path temporary = temporary_name(file);
    {
        std::ofstream stream(temporary, std::ios::binary);
        stream << content;
        stream.close();
        if (!stream) {
            const std::string reason = std::strerror(errno);
            std::error_code ignored;
            fs::remove(temporary, ignored);
            fail(file, "cannot be written", reason);
        }
    }
    std::error_code error;
    fs::rename(temporary, file, error);
    if (error) {
        const std::string reason = error.message();
        fs::remove(temporary, error);
        fail(file, "cannot be replaced", reason);
    }
}

std::optional<std::string> unfinished(const std::string& name)
{
    if (!name.ends_with(temporary_ending))
        return std::nullopt;
    const std::string numbered = name.substr(0, name.size() - temporary_ending.size());
    const std::size_t number = numbered.find_last_not_of("0123456789") + 1;
    if (number < 2 || number == numbered.size() || numbered[number - 1] != '.')
        return std::nullopt;
    return numbered.substr(0, number - 1);
}

} // namespace levee
