// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/output_folder.hpp"

#include "core/config/lock.hpp"
#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
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

/// Throws std::runtime_error if something other than a regular file or a link has this name, such
/// as a folder, a pipe or a device.
void refuse_other_kinds(const fs::path& file)
{
    struct stat there {};
    if (::lstat(file.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode))
        fail(file, "cannot be written",
             "it is " + config::kind_of_file(there.st_mode) +
                 "; expected a regular file, or an unused name");
}

/// Returns whether a name, such as the link /dev/stdout, leads to the file of the standard
/// output.
bool is_standard_output(const fs::path& file)
{
    struct stat named {
    }, output{};
    return ::stat(file.c_str(), &named) == 0 && ::fstat(STDOUT_FILENO, &output) == 0 &&
           named.st_dev == output.st_dev && named.st_ino == output.st_ino;
}

} // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path))
{
    std::error_code error;
    fs::create_directories(path_, error);
    if (error || !fs::is_directory(path_))
        fail(path_, "cannot make the output folder",
             error ? error.message() : "a file with this name exists");
    const fs::path probe = temporary_name(path_ / probe_file);
    try {
        ::close(config::open_output(probe));
    } catch (const std::runtime_error& refused) {
        fail(path_, "cannot write into the output folder", refused.what());
    }
    fs::remove(probe, error);
}

void OutputFolder::lock()
{
    lock_ = std::make_shared<config::Descriptor>(config::lock_folder(path_));
}

OutputFolder OutputFolder::inner(const std::string& name) const
{
    config::make_inner_folder(path_, path_ / name);
    return OutputFolder(path_ / name);
}

void OutputFolder::write(const std::string& name, const std::string& content) const
{
    write_atomically(path_ / name, content);
}

void OutputFolder::remove(const std::string& name) const
{
    std::error_code none_there;
    const fs::path file = path_ / name;
    refuse_other_kinds(file);
    fs::remove(file, none_there);
}

void write_named(const fs::path& file, const std::string& content)
{
    if (is_standard_output(file)) {
        std::fwrite(content.data(), 1, content.size(), stdout);
        if (std::fflush(stdout) != 0)
            fail(file, "cannot be written", std::strerror(errno));
        return;
    }
    fs::path place = file;
    std::error_code error;
    for (int links = 0; links < 40 && fs::is_symlink(place, error); ++links)
        place = place.parent_path() / fs::read_symlink(place);
    write_atomically(place, content);
}

void write_atomically(const fs::path& file, const std::string& content)
{
    refuse_other_kinds(file);
    const fs::path temporary = temporary_name(file);
    {
        std::ofstream stream = config::output_stream(temporary);
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
