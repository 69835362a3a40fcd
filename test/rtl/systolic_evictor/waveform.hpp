// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/fst_file.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace levee::test {

/// A temporary folder.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("levee-waves-" + std::to_string(getpid())))
    {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::filesystem::path path(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// A waveform as a viewer reads it: an FST file converted to VCD.
class Waveform {
public:
    struct Change {
        std::uint64_t ps, value; ///< `value` has the lowest 64 bits.
    };

    Waveform(const std::filesystem::path& fst, const std::filesystem::path& vcd)
    {
        write_vcd(fst, vcd);
        std::ifstream file(vcd);
        read(file);
    }

    [[nodiscard]] const std::vector<Change>& changes(const std::string& signal) const
    {
        const auto found = ids_.find(signal);
        if (found == ids_.end())
            throw std::runtime_error(signal + ": not in the waveform");
        return changes_.at(found->second);
    }
    [[nodiscard]] std::uint64_t at(const std::string& signal, std::uint64_t ps) const
    {
        std::uint64_t value = 0;
        for (const Change& change : changes(signal))
            if (change.ps <= ps)
                value = change.value;
        return value;
    }
    [[nodiscard]] std::uint64_t first_ps() const { return first_ps_; }
    [[nodiscard]] std::uint64_t last_ps() const { return last_ps_; }

private:
    void read(std::istream& file)
    {
        std::vector<std::string> scopes;
        std::uint64_t now = 0;
        bool has_time = false;
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::string first, kind, bits, id, name;
            words >> first;
            if (first == "$scope") {
                words >> kind >> name;
                scopes.push_back(name);
            } else if (first == "$upscope") {
                scopes.pop_back();
            } else if (first == "$var") {
                words >> kind >> bits >> id >> name;
                std::string path;
                for (const std::string& scope : scopes)
                    path += scope + ".";
                ids_[path + name] = id;
                changes_[id];
            } else if (line.starts_with("#")) {
                now = std::stoull(line.substr(1));
                first_ps_ = has_time ? first_ps_ : now;
                has_time = true;
                last_ps_ = now;
            } else if (line.starts_with("b")) {
                words >> id;
                std::uint64_t value = 0;
                for (const char bit : first.substr(1))
                    value = value << 1 | (bit == '1' ? 1u : 0u);
                changes_[id].push_back({now, value});
            } else if (line.starts_with("0") || line.starts_with("1")) {
                changes_[line.substr(1)].push_back({now, line[0] == '1' ? 1u : 0u});
            }
        }
    }

    std::map<std::string, std::string> ids_;
    std::map<std::string, std::vector<Change>> changes_;
    std::uint64_t first_ps_ = 0, last_ps_ = 0;
};

} // namespace levee::test
