// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/coverage.hpp"

#include "core/config/output_file.hpp"
#include "core/config/regular_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

namespace levee::cosim {

namespace {

namespace fs = std::filesystem;

struct Count {
    unsigned hit = 0, all = 0;
};

/// Reads the number of points of each kind from Verilator's file, whose lines are "C
/// '...\1page\2v_KIND/...' COUNT".
std::map<std::string, Count> counts_in(const fs::path& file)
{
    std::map<std::string, Count> counts;
    std::ifstream lines = config::regular_stream(file);
    if (!lines)
        throw std::runtime_error(file.string() + ": " + config::why_unreadable(file));
    const std::string mark = "\1page\2v_";
    for (std::string line; std::getline(lines, line);) {
        const std::size_t page = line.find(mark), space = line.rfind(' ');
        if (page == std::string::npos)
            continue;
        const std::size_t first = page + mark.size();
        Count& count = counts[line.substr(first, line.find('/', first) - first)];
        ++count.all;
        count.hit += std::strtoull(line.c_str() + space, nullptr, 10) != 0 ? 1 : 0;
    }
    return counts;
}

void run_tool(const std::vector<std::string>& words, const fs::path& log)
{
    if (own_rtl::run_command(words, log) != 0)
        throw std::runtime_error(words[0] + " failed:\n" + own_rtl::read_text(log));
}

std::vector<std::string> runs_in(const fs::path& folder)
{
    std::vector<std::string> runs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".dat")
            runs.push_back(entry.path().string());
    return runs;
}

void print_counts(const fs::path& merged, std::size_t runs)
{
    std::map<std::string, Count> counts = counts_in(merged);
    const Count branches = counts["branch"];
    Count& lines = counts["line"]; // a block of statements is one point
    lines.hit += branches.hit;
    lines.all += branches.all;
    std::printf("code coverage of %zu run%s:\n", runs, runs == 1 ? "" : "s");
    for (const auto& [name, kind] : {std::pair{"blocks", "line"}, {"toggles", "toggle"}})
        std::printf("  %-8s %u of %u\n", name, counts[kind].hit, counts[kind].all);
}

/// Returns the path of Verilator's program for coverage files.
std::string coverage_tool(const own_rtl::Tools& tools)
{
    return (fs::path(tools.verilator).parent_path() / "verilator_coverage").string();
}

} // namespace

void write_coverage(const own_rtl::Recording& recording, const own_rtl::Tools& tools,
                    const fs::path& folder, const std::string& run)
{
    fs::create_directories(folder);
    const fs::path log = folder / "coverage.log", info = folder / "coverage.info",
                   merged = folder / "merged.tmp";
    for (const fs::path& file : {folder / (run + ".dat"), log, info, merged})
        config::check_output(file);
    recording.write_coverage((folder / (run + ".dat")).c_str());
    const std::vector<std::string> runs = runs_in(folder);
    fs::remove(log);
    for (const auto& [option, file] : {std::pair{"--write", merged}, {"--write-info", info}}) {
        std::vector<std::string> words = {coverage_tool(tools), option, file.string()};
        words.insert(words.end(), runs.begin(), runs.end());
        run_tool(words, log);
    }
    print_counts(merged, runs.size());
    fs::remove(merged);
    constexpr int no_such_program = 127;
    const fs::path html = folder / "html";
    const int code = own_rtl::run_command(
        {"genhtml", "--quiet", "--output-directory", html.string(), info.string()}, log);
    if (code == no_such_program)
        std::printf("  %s: install genhtml (Debian's package lcov) to get HTML pages\n",
                    info.c_str());
    else if (code != 0)
        std::printf("  %s: genhtml failed, see %s\n", info.c_str(), log.c_str());
    else
        std::printf("  %s/index.html\n", html.c_str());
}

} // namespace levee::cosim
