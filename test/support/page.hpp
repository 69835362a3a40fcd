// SPDX-License-Identifier: Apache-2.0
// Follows a page of docs/. It writes the page's files (```c FILE), appends to them (```c >>FILE) or
// changes them (```diff), and runs the commands (```console) in turn. It compares their output with
// the page, where `[...]` matches any lines. With LEVEE_UPDATE_DOCS=1 in the environment it writes
// the output into the page instead.
#pragma once

#include "test/system/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace levee::test {

using Lines = std::vector<std::string>;

inline const std::string left_out = "[...]";

inline Lines lines_of(const std::string& text)
{
    Lines lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// Whether `actual` matches `expected`, where `[...]` matches any lines.
inline bool matches(const Lines& expected, std::size_t e, const Lines& actual, std::size_t a)
{
    if (e == expected.size())
        return a == actual.size();
    if (expected[e] != left_out)
        return a < actual.size() && actual[a] == expected[e] &&
               matches(expected, e + 1, actual, a + 1);
    for (std::size_t rest = a; rest <= actual.size(); ++rest)
        if (matches(expected, e + 1, actual, rest))
            return true;
    return false;
}

/// Returns the page's expected lines with new output. A block with `[...]` stays unchanged if it
/// still matches. Otherwise its lines before the first and after the last `[...]` are renewed, with
/// the same number of lines.
inline Lines updated(const Lines& expected, const Lines& actual)
{
    const auto first = std::find(expected.begin(), expected.end(), left_out);
    if (first == expected.end())
        return actual;
    if (matches(expected, 0, actual, 0))
        return expected;
    const auto last = std::find(expected.rbegin(), expected.rend(), left_out);
    const auto head = std::min(first - expected.begin(), std::ptrdiff_t(actual.size()));
    const auto tail = std::min(last - expected.rbegin(), std::ptrdiff_t(actual.size()) - head);
    Lines result(actual.begin(), actual.begin() + head);
    result.push_back(left_out);
    result.insert(result.end(), actual.end() - tail, actual.end());
    return result;
}

/// Runs the commands of a console block; returns the block with their output.
inline Lines run_block(const Workplace& place, const Lines& block, unsigned& commands)
{
    Lines result;
    for (std::size_t i = 0; i < block.size();) {
        REQUIRE(block[i].starts_with("$ "));
        const std::string command = block[i].substr(2);
        Lines expected;
        for (++i; i < block.size() && !block[i].starts_with("$ "); ++i)
            expected.push_back(block[i]);
        const Outcome outcome = place.shell(command);
        const Lines actual = lines_of(outcome.text);
        INFO(command << "\n" << outcome.text);
        if (command.starts_with("cmake"))
            REQUIRE(outcome.code == 0);
        if (std::getenv("LEVEE_UPDATE_DOCS") == nullptr)
            CHECK(matches(expected, 0, actual, 0));
        result.push_back("$ " + command);
        const Lines now = updated(expected, actual);
        result.insert(result.end(), now.begin(), now.end());
        ++commands;
    }
    return result;
}

/// Applies a listing to files: creates, appends or patches one. `kind` is the label of the listing.
inline void place_listing(const Workplace& place, const std::string& kind, const Lines& block)
{
    std::string content;
    for (const std::string& line : block)
        content += line + "\n";
    const std::string name = kind.substr(kind.find(' ') + 1);
    if (kind == "diff") {
        place.write("page.diff", content);
        REQUIRE(place.shell("patch --fuzz=0 -p1 <page.diff").code == 0);
    } else if (name.starts_with(">>")) {
        const std::string file = name.substr(2);
        place.write(file, place.read(file) + content);
    } else {
        std::filesystem::create_directories(place.path(name).parent_path());
        place.write(name, content);
    }
}

/// Follows a page of docs/ in `place`. Requires more than `least_files` files and `least_commands`
/// commands.
inline void follow(const Workplace& place, const std::string& name, unsigned least_files,
                   unsigned least_commands)
{
    const std::string page_file = std::string(LEVEE_SOURCE) + "/docs/" + name;
    std::ifstream stream(page_file);
    const Lines page =
        lines_of({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
    Lines result;
    unsigned files = 0, commands = 0;
    for (std::size_t i = 0; i < page.size(); ++i) {
        result.push_back(page[i]);
        if (!page[i].starts_with("```"))
            continue;
        const std::string kind = page[i].substr(3);
        Lines block;
        for (++i; i < page.size() && page[i] != "```"; ++i)
            block.push_back(page[i]);
        REQUIRE(i < page.size());
        if (kind == "console") {
            block = run_block(place, block, commands);
        } else {
            place_listing(place, kind, block);
            ++files;
        }
        result.insert(result.end(), block.begin(), block.end());
        result.push_back("```");
    }
    CHECK(files > least_files);
    CHECK(commands > least_commands);
    if (std::getenv("LEVEE_UPDATE_DOCS") != nullptr) {
        std::ofstream out(page_file);
        for (const std::string& line : result)
            out << line << "\n";
    }
}

} // namespace levee::test
