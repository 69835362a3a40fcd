// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/verilated_coverage.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

namespace levee {

namespace {

/// Temporary file, because Verilator exports its counts only to files.
class TemporaryFile {
public:
    TemporaryFile() : path_((std::filesystem::temp_directory_path() / "levee-XXXXXX").string())
    {
        const int file = mkstemp(path_.data());
        if (file < 0)
            throw std::runtime_error(path_ +
                                     ": cannot be created as a temporary file for coverage");
        close(file);
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Value of a key in a line of Verilator's coverage file: \1 key \2 value.
std::string value_of(const std::string& line, const std::string& key)
{
    const std::string mark = '\1' + key + '\2';
    const auto begin = line.find(mark);
    if (begin == std::string::npos)
        return {};
    const auto first = begin + mark.size();
    return line.substr(first, line.find_first_of("\1'", first) - first);
}

} // namespace

std::map<std::string, std::uint64_t> verilated_coverage(VerilatedContext& context)
{
    const TemporaryFile file;
    context.coveragep()->write(file.path().c_str());
    std::ifstream lines(file.path());
    std::map<std::string, std::uint64_t> counts;
    for (std::string line; std::getline(lines, line);) {
        const std::string hierarchy = value_of(line, "h");
        const auto count = line.rfind(' ');
        const bool is_cover_point = value_of(line, "page").starts_with("v_user");
        if (!is_cover_point || hierarchy.empty() || count == std::string::npos)
            continue;
        counts[hierarchy.substr(hierarchy.rfind('.') + 1)] +=
            std::strtoull(line.c_str() + count, nullptr, 10);
    }
    return counts;
}

} // namespace levee
