// SPDX-License-Identifier: Apache-2.0
#include "platform/input/rtl/description.hpp"
#include "platform/input/rtl/tools.hpp"

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;

/// What stands in quotes behind the source's `include directives.
std::vector<std::string> names_in(const std::string& text)
{
    constexpr std::string_view directive = "`include";
    std::vector<std::string> names;
    for (std::size_t at = text.find(directive); at != std::string::npos;
         at = text.find(directive, at)) {
        at = text.find_first_not_of(" \t", at + directive.size());
        if (at == std::string::npos || text[at] != '"')
            continue;
        const std::size_t end = text.find_first_of("\"\n", at + 1);
        if (end != std::string::npos && text[end] == '"')
            names.push_back(text.substr(at + 1, end - at - 1));
    }
    return names;
}

} // namespace

std::map<std::string, fs::path> included_files(const Description& description)
{
    std::map<std::string, fs::path> found;
    std::vector<fs::path> unread = description.files;
    std::error_code ignored;
    const auto add = [&](std::size_t folder, const fs::path& name) {
        const fs::path file = description.includes[folder] / name;
        if (fs::is_regular_file(file, ignored) &&
            found.emplace(std::to_string(folder) + "/" + name.string(), file).second)
            unread.push_back(file);
    };
    for (std::size_t folder = 0; folder < description.includes.size(); ++folder)
        for (const auto& entry : fs::directory_iterator(description.includes[folder]))
            add(folder, entry.path().filename());
    while (!unread.empty()) {
        const std::string text = read_text(unread.back());
        unread.pop_back();
        for (const std::string& name : names_in(text))
            for (std::size_t folder = 0; folder < description.includes.size(); ++folder)
                add(folder, name);
    }
    return found;
}

} // namespace levee::own_rtl
