// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace levee::sweep {

inline constexpr std::string_view journal_extension = ".journal";

/// A file to which records are only added. A record is a line with a checksum (XXH3, 64 bits,
/// hexadecimal) and a JSON text. When append() returns, the record is on the disk. Readers ignore
/// an incomplete record at the end.
class Journal {
public:
    /// Opens or creates the file, and removes an incomplete last line. Throws std::runtime_error
    /// with the file's name and the system's reason.
    explicit Journal(std::filesystem::path file);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Adds a record and waits until it is on the disk. If this fails, leaves the file unchanged
    /// and throws std::runtime_error with the reason.
    void append(const nlohmann::json& record);

private:
    [[noreturn]] void fail(int error) const;

    std::filesystem::path file_;
    int descriptor_ = -1;
    std::int64_t end_ = 0;
};

/// Calls `use` for each complete record of a file, in order. Returns the number of damaged complete
/// lines; a line of more than 64 MiB counts as damaged. A missing file has no records. Throws
/// std::runtime_error for a file of more than 4 GiB.
std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use);

/// Reads only from the position `from` on, where a line must begin. Sets `from` to the end of the
/// last complete line.
std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use,
                         std::uint64_t& from);

} // namespace levee::sweep
