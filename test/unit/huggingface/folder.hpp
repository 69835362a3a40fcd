// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

/// A temporary folder.
class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("levee_hf_" + std::to_string(getpid()) + "_" + std::to_string(++made_)))
    {
        std::filesystem::create_directory(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::filesystem::path write(const std::string& name, std::string_view text) const
    {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    static inline int made_ = 0;
    std::filesystem::path path_;
};
