// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace levee::sweep {

/// A file of records that only grows. A record is a line with a checksum (XXH3, 64 bits, in hex)
/// and a JSON text. When append() returns, the record is stored, even if the process then ends. A
/// record that is incomplete at its end is ignored.
class Journal {
public:
    /// Opens or creates the file, and removes an incomplete last line. Throws std::runtime_error
    /// with the file's name and the system's reason.
    explicit Journal(std::filesystem::path file);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Adds a record and waits for the disk. If that fails, the file is unchanged, and
    /// std::runtime_error gives the reason.
    void append(const nlohmann::json& record);

private:
    [[noreturn]] void fail(int error) const;

    std::filesystem::path file_;
    int descriptor_ = -1;
    std::int64_t end_ = 0;
};

/// Calls `use` for each complete record of the file, in order. Returns the number of damaged
/// complete lines; lines of more than 64 MiB count as damaged. A missing file has none. Throws
/// std::runtime_error for a file of more than 4 GiB.
std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use);

/// The same from the byte `from` on, where a line begins. `from` is then the end of the last
/// complete line.
std::size_t read_journal(const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&)>& use,
                         std::uint64_t& from);

} // namespace levee::sweep
