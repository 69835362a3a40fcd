// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/reference_sources.hpp"

#include "core/config/output_file.hpp"
#include "core/config/pattern.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace levee::cosim {

namespace {

namespace fs = std::filesystem;
using own_rtl::read_text;
using own_rtl::write_text;

/// Collects all files of the tree that a source needs: the files that it includes, and their
/// sources.
class Closure {
public:
    explicit Closure(const fs::path& root) : root_(root) {}

    void add(const std::string& file)
    {
        if (!fs::exists(root_ / file) || !files_.insert(file).second)
            return;
        const std::string text = read_text(root_ / file);
        for (const config::Match& include : config::matches(text, "^#include \"([^\"]+)\""))
            add(include.groups[1]);
        if (file.ends_with(".hpp"))
            add_sources(file.substr(0, file.size() - 4));
    }
    [[nodiscard]] const std::set<std::string>& files() const { return files_; }

private:
    /// Adds NAME.cpp, and those files NAME_*.cpp that have no header of their own.
    void add_sources(const std::string& stem)
    {
        const fs::path path(stem);
        std::vector<std::string> found;
        for (const fs::directory_entry& entry :
             fs::directory_iterator(root_ / path.parent_path())) {
            const fs::path file = entry.path();
            const std::string name = file.stem().string();
            const bool is_part = name.starts_with(path.filename().string() + "_") &&
                                 !fs::exists(fs::path(file).replace_extension(".hpp"));
            if (file.extension() == ".cpp" && (name == path.filename() || is_part))
                found.push_back((path.parent_path() / file.filename()).string());
        }
        std::ranges::sort(found);
        for (const std::string& file : found)
            add(file);
    }

    fs::path root_;
    std::set<std::string> files_;
};

void copy_files(const std::set<std::string>& files, const fs::path& from, const fs::path& to)
{
    for (const std::string& file : files) {
        fs::create_directories((to / file).parent_path());
        config::copy_output(from / file, to / file);
    }
}

} // namespace

void write_reference(const Target& target, const ExportFacts& facts, const own_rtl::Tools& tools,
                     const fs::path& folder)
{
    Closure closure(tools.sources);
    closure.add(target.folder + "/bench.cpp");
    std::string sources;
    for (const std::string& file : closure.files())
        if (file.ends_with(".cpp"))
            sources += file + "\n";
    std::set<std::string> files = closure.files();
    files.insert("core/rtl/verilated_pins.cpp");
    copy_files(files, tools.sources, folder);
    const fs::path exported = tools.sources / "platform/studies/cosim/exported";
    copy_files({"link.hpp", "levee_reference.h", "reference.cpp"}, exported, folder);
    copy_files({"verilated_pins.hpp"}, exported, folder / "core/rtl");
    write_text(folder / "sources.txt", sources);
    Texts texts = texts_of(facts);
    texts["folder"] = target.source->folder;
    texts["name_space"] = target.source->name_space;
    texts["parameters"] = facts.parameters;
    for (const char* const name : {"bus.h", "bench.hpp"})
        write_from_template(tools, name, texts, folder);
}

} // namespace levee::cosim
