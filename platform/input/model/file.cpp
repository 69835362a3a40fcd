// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/file.hpp"

#include "platform/input/model/model_shape.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace levee {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what)
{
    throw ModelError(path.string() + ": cannot " + what + ": " + std::strerror(errno));
}

} // namespace

std::vector<std::uint8_t> read_file(const std::filesystem::path& path)
{
    if (std::filesystem::is_directory(path)) {
        throw ModelError(path.string() + ": is a directory, expected a file");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) {
        fail(path, "open");
    }
    std::vector<std::uint8_t> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        fail(path, "read");
    }
    return bytes;
}

void write_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes)
{
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
        fail(path, "write");
    }
}

} // namespace levee
