// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>

/// A temporary folder for one test's files.
class Files {
public:
    Files()
        : folder_(std::filesystem::temp_directory_path() /
                  ("levee_config_test." + std::to_string(::getpid())))
    {
        std::filesystem::create_directories(folder_);
    }
    ~Files() { std::filesystem::remove_all(folder_); }
    Files(const Files&) = delete;
    Files& operator=(const Files&) = delete;

    std::string write(const std::string& name, const std::string& content) const
    {
        const std::filesystem::path path = folder_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content;
        return path.string();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
};

/// Returns the message of the config::Error that `action` throws. The test fails if it throws none.
inline std::string message_of(const std::function<void()>& action)
{
    try {
        action();
    } catch (const levee::config::Error& error) {
        return error.what();
    }
    FAIL("no config::Error was thrown");
    return {};
}
