// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/description.hpp"
#include "core/rtl/build/tools.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;

/// Adds all quoted strings in the text.
void add_quoted(std::string_view text, std::vector<std::string>& names)
{
    for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
        const std::size_t end = text.find_first_of("\"\n", at + 1);
        if (end == std::string_view::npos)
            return;
        if (text[end] == '"')
            names.emplace_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
}

/// Returns the position of the end of the line. A backslash at the end continues a line on the next
/// one.
std::size_t end_of_line(std::string_view text, std::size_t at)
{
    do
        at = text.find('\n', at + 1);
    while (at != std::string_view::npos && text[at - 1] == '\\');
    return at;
}

/// Returns the quoted names in the source's `include directives and in its macros, because
/// directives may use macros.
std::vector<std::string> names_in(std::string_view text)
{
    constexpr std::string_view include = "`include", define = "`define";
    std::vector<std::string> names;
    for (std::size_t at = text.find(include); at != std::string_view::npos;
         at = text.find(include, at)) {
        at = text.find_first_not_of(" \t", at + include.size());
        if (at != std::string_view::npos && text[at] == '"')
            add_quoted(text.substr(at, text.find_first_of("\"\n", at + 1) + 1 - at), names);
    }
    for (std::size_t at = text.find(define); at != std::string_view::npos;
         at = text.find(define, at)) {
        const std::size_t end = end_of_line(text, at);
        add_quoted(text.substr(at, end == std::string_view::npos ? end : end - at), names);
        at = end;
        if (at == std::string_view::npos)
            break;
    }
    return names;
}

bool is_source(const fs::path& file)
{
    constexpr std::array<std::string_view, 4> endings{".sv", ".svh", ".v", ".vh"};
    return std::ranges::find(endings, file.extension().string()) != endings.end();
}

class Search {
public:
    explicit Search(const Description& description) : description_(description)
    {
        for (const fs::path& file : description.files)
            will_read(file);
        for (std::size_t folder = 0; folder < description.includes.size(); ++folder)
            for (const auto& entry : fs::directory_iterator(description.includes[folder]))
                add_in(folder, entry.path().filename(), is_source(entry.path()));
    }

    NamedFiles all()
    {
        std::vector<std::string> given; // Names quoted in the description.
        for (const auto* const words : {&description_.defines, &description_.arguments})
            for (const std::string& macro : *words)
                add_quoted(macro, given);
        for (const std::string& name : given)
            add_named(description_.files.front(), name);
        while (!unread_.empty()) {
            const fs::path source = unread_.back();
            unread_.pop_back();
            for (const std::string& name : names_in(read_text(source)))
                for (const char* const ending : {"", ".v", ".sv"}) // Suffixes that Verilator tries.
                    add_named(source, name + ending);
        }
        return found_;
    }

private:
    /// Adds an included file, found by a search in Verilator's order. The process's folder comes
    /// last.
    void add_named(const fs::path& source, const fs::path& name)
    {
        if (name.is_absolute()) {
            add(name.string(), name, true);
            return;
        }
        bool found = false;
        for (std::size_t folder = 0; folder < description_.includes.size(); ++folder)
            found = add_in(folder, name, true) || found;
        if (description_.relative_includes)
            found = add_beside(source, name) || found;
        if (!found)
            add("here/" + name.string(), fs::current_path() / name, true);
    }

    bool add_in(std::size_t folder, const fs::path& name, bool read)
    {
        return add(std::to_string(folder) + "/" + name.string(),
                   description_.includes[folder] / name, read);
    }

    /// Adds an included file next to the source. If the source is a link, Verilator searches next
    /// to the link's target, and so does this function.
    bool add_beside(const fs::path& source, const fs::path& name)
    {
        std::error_code missing;
        const fs::path file = fs::canonical(source.parent_path() / name, missing);
        const fs::path first = fs::weakly_canonical(description_.files.front().parent_path());
        return !missing && add("beside/" + file.lexically_relative(first).string(), file, true);
    }

    bool add(const std::string& name, const fs::path& file, bool read)
    {
        std::error_code ignored;
        if (!fs::is_regular_file(file, ignored))
            return false;
        found_.emplace(name, file);
        if (read)
            will_read(file);
        return true;
    }

    void will_read(const fs::path& file)
    {
        if (known_.insert(file).second)
            unread_.push_back(file);
    }

    const Description& description_;
    NamedFiles found_;
    std::set<fs::path> known_; ///< Files that were or will be read.
    std::vector<fs::path> unread_;
};

} // namespace

NamedFiles included_files(const Description& description)
{
    return Search(description).all();
}

const NamedFiles& IncludedFiles::of(const Description& description)
{
    const std::tuple key{description.files, description.includes, description.defines,
                         description.arguments};
    const auto known = known_.find(key);
    if (known != known_.end())
        return known->second;
    return known_.emplace(key, included_files(description)).first->second;
}

} // namespace levee::own_rtl
