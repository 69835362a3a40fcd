// SPDX-License-Identifier: Apache-2.0
#include "platform/input/rtl/description.hpp"
#include "platform/input/rtl/tools.hpp"

#include <algorithm>
#include <array>
#include <set>

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

/// Whether its name says that it is a source.
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
        while (!unread_.empty()) {
            const fs::path source = unread_.back();
            unread_.pop_back();
            for (const std::string& name : names_in(read_text(source)))
                for (const char* const ending : {"", ".v", ".sv"}) // Verilator tries these
                    add_named(source, name + ending);
        }
        return found_;
    }

private:
    void add_named(const fs::path& source, const fs::path& name)
    {
        if (name.is_absolute()) {
            add(name.string(), name, true);
            return;
        }
        for (std::size_t folder = 0; folder < description_.includes.size(); ++folder)
            add_in(folder, name, true);
        if (description_.relative_includes)
            add_beside(source, name);
    }

    void add_in(std::size_t folder, const fs::path& name, bool read)
    {
        add(std::to_string(folder) + "/" + name.string(), description_.includes[folder] / name,
            read);
    }

    /// Of a link its file, as Verilator has it, beside which it looks for what that includes.
    void add_beside(const fs::path& source, const fs::path& name)
    {
        std::error_code missing;
        const fs::path file = fs::canonical(source.parent_path() / name, missing);
        const fs::path first = fs::weakly_canonical(description_.files.front().parent_path());
        if (!missing)
            add("beside/" + file.lexically_relative(first).string(), file, true);
    }

    void add(const std::string& name, const fs::path& file, bool read)
    {
        std::error_code ignored;
        if (!fs::is_regular_file(file, ignored))
            return;
        found_.emplace(name, file);
        if (read)
            will_read(file);
    }

    void will_read(const fs::path& file)
    {
        if (known_.insert(file).second)
            unread_.push_back(file);
    }

    const Description& description_;
    NamedFiles found_;
    std::set<fs::path> known_; ///< read, or to be
    std::vector<fs::path> unread_;
};

} // namespace

NamedFiles included_files(const Description& description)
{
    return Search(description).all();
}

const NamedFiles& IncludedFiles::of(const Description& description)
{
    const std::tuple key{description.files, description.includes, description.relative_includes};
    const auto known = known_.find(key);
    if (known != known_.end())
        return known->second;
    return known_.emplace(key, included_files(description)).first->second;
}

} // namespace levee::own_rtl
