// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/types.h>

namespace levee::config {

/// Opens a regular file for reading and returns its descriptor. For other kinds of files, returns
/// -1 with the reason in `why` ("is a folder; expected a file"): opening a pipe would wait for a
/// writer, and a device may never end.
[[nodiscard]] int open_regular(const std::filesystem::path& path, std::string& why);

/// Opens the file as a stream. The stream is in the failed state if the file does not exist.
[[nodiscard]] std::ifstream regular_stream(const std::filesystem::path& path);

/// Reason why regular_stream() failed, in the words of open_regular().
[[nodiscard]] std::string why_unreadable(const std::filesystem::path& path);

/// Reads a whole regular file. Returns nothing, with the reason in `why`, if the file cannot be
/// read, has more than `most` bytes, or does not fit in memory.
[[nodiscard]] std::optional<std::string> read_file(const std::filesystem::path& path,
                                                   std::uint64_t most, std::string& why);

/// Name for the kind of a file that is not regular, such as "a pipe" or "a folder".
[[nodiscard]] std::string kind_of_file(mode_t mode);

} // namespace levee::config
