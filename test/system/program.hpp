// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace levee::test {

/// The exit code of a command and its output (standard output and error together).
struct Outcome {
    int code = -1;
    std::string text;
};

inline std::string quote(const std::string& argument)
{
    std::string text = "'";
    for (const char c : argument)
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// A temporary folder in which `levee` runs.
class Workplace {
public:
    Workplace()
        : folder_(std::filesystem::temp_directory_path() /
                  ("levee_system_test." + std::to_string(::getpid())))
    {
        std::filesystem::create_directories(folder_);
    }
    ~Workplace() { std::filesystem::remove_all(folder_); }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    Outcome levee(const std::vector<std::string>& arguments) const
    {
        std::string command = quote(LEVEE_PROGRAM);
        for (const std::string& argument : arguments)
            command += " " + quote(argument);
        return shell(command);
    }

    /// Runs a command line in this folder.
    Outcome shell(const std::string& line) const
    {
        const std::string command = "cd " + quote(folder_) + " && (" + line + "\n) 2>&1 </dev/null";
        FILE* pipe = popen(command.c_str(), "r");
        REQUIRE(pipe != nullptr);
        Outcome outcome;
        std::array<char, 4096> buffer{};
        while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
            outcome.text.append(buffer.data(), got);
        const int status = pclose(pipe);
        outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        UNSCOPED_INFO(command << "\n-> " << outcome.code << "\n" << outcome.text);
        return outcome;
    }

    [[nodiscard]] std::filesystem::path path(const std::string& name) const
    {
        return folder_ / name;
    }

    void write(const std::string& name, const std::string& content) const
    {
        std::ofstream(folder_ / name, std::ios::binary) << content;
    }

    [[nodiscard]] std::string read(const std::string& name) const
    {
        std::ifstream stream(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    [[nodiscard]] nlohmann::json results(const std::string& folder) const
    {
        return nlohmann::json::parse(read(folder + "/results.json"));
    }

private:
    std::filesystem::path folder_;
};

/// Removes the values from results.json that may differ between runs.
inline nlohmann::json reproducible(nlohmann::json results)
{
    results.erase("versions");
    nlohmann::json& metrics = results["metrics"];
    for (auto metric = metrics.begin(); metric != metrics.end();)
        metric = metric.key().starts_with("host.") ? metrics.erase(metric) : std::next(metric);
    return results;
}

} // namespace levee::test
