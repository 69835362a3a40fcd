// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/output_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
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

void OutputFolder::write(const std::string& name, const std::string& content) const
{
    write_atomically(path_ / name, content);
}

void OutputFolder::remove(const std::string& name) const
{
    std::error_code none_there;
    fs::remove(path_ / name, none_there);
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
    if (error)
        fail(file, "cannot be replaced", error.message());
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
