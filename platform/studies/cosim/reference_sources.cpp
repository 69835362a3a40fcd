// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/reference_sources.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace levee::cosim {

namespace {

namespace fs = std::filesystem;
using own_rtl::read_text;
using own_rtl::write_text;

/// Files of the tree that a source needs: what it includes, and the sources of the same names.
class Closure {
public:
    explicit Closure(const fs::path& root) : root_(root) {}

    void add(const std::string& file)
    {
        if (!fs::exists(root_ / file) || !files_.insert(file).second)
            return;
        static const std::regex include("(^|\n)#include \"([^\"]+)\"");
        const std::string text = read_text(root_ / file);
        for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at)
            add((*at)[2]);
        if (file.ends_with(".hpp"))
            add_sources(file.substr(0, file.size() - 4));
    }
    [[nodiscard]] const std::set<std::string>& files() const { return files_; }

private:
    /// NAME.cpp, and NAME_*.cpp without a header of their own.
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

/// The function of the bench's header that makes it.
std::string maker_in(const fs::path& header)
{
    static const std::regex maker("make_[a-z_0-9]+_bench");
    const std::string text = read_text(header);
    std::smatch found;
    if (!std::regex_search(text, found, maker))
        throw std::runtime_error(header.string() + ": has no make_*_bench");
    return found[0];
}

std::string bench_header(const Target& target, const std::string& header, const std::string& maker,
                         const ExportFacts& facts)
{
    return "// Made by ./levee cosim --export: the bench that reference.cpp runs.\n#pragma once\n\n"
           "#include \"" +
           header + "\"\n#include \"" + target.source->folder +
           "/verilated_pins.cpp\"\n\nnamespace levee::dpi {\n\n"
           "constexpr const char* bench_name = \"" +
           target.name +
           "\";\n"
           "constexpr std::size_t input_bits = " +
           std::to_string(facts.input_bits()) +
           ", output_bits = " + std::to_string(facts.output_bits()) +
           ";\n\n"
           "inline std::unique_ptr<cosim::Bench> make_bench(std::uint32_t seed)\n{\n"
           "    return cosim::" +
           maker + "(levee::" + target.source->name_space +
           "::exported.make, {seed, \"\"});\n}\n\n} // namespace levee::dpi\n";
}

} // namespace

void write_reference(const Target& target, ExportFacts& facts, const own_rtl::Tools& tools,
                     const fs::path& folder)
{
    const std::string bench = "platform/studies/cosim/" + target.bench;
    Closure closure(tools.sources);
    closure.add(bench + ".hpp");
    closure.add("ip/common/rtl_driver.hpp");
    const std::string wiring = std::string(target.source->folder) + "/verilated_pins.cpp";
    std::string sources;
    for (const std::string& file : closure.files()) {
        fs::create_directories((folder / file).parent_path());
        fs::copy_file(tools.sources / file, folder / file, fs::copy_options::overwrite_existing);
        if (file.ends_with(".cpp"))
            sources += file + "\n";
    }
    fs::copy_file(tools.sources / wiring, folder / wiring, fs::copy_options::overwrite_existing);
    fs::copy_file(tools.sources / "ip/common/port_bytes.hpp", folder / "ip/common/port_bytes.hpp",
                  fs::copy_options::overwrite_existing);
    const fs::path dpi = tools.sources / "platform/studies/cosim/dpi";
    for (const char* const name : {"link.hpp", "levee_reference.h", "reference.cpp"})
        fs::copy_file(dpi / name, folder / name, fs::copy_options::overwrite_existing);
    fs::copy_file(dpi / "verilated_pins.hpp", folder / "ip/common/verilated_pins.hpp",
                  fs::copy_options::overwrite_existing);
    write_text(
        folder / "bench.hpp",
        bench_header(target, bench + ".hpp", maker_in(tools.sources / (bench + ".hpp")), facts));
    std::string sizes;
    for (const auto& [name, value] : facts.boundary.parameters)
        sizes += "-DLEVEE_DESIGN_" + name + "=" + std::to_string(value) + "\n";
    write_text(folder / "sizes.txt", sizes);
    write_text(folder / "sources.txt", sources);
    facts.has_reference = true;
}

} // namespace levee::cosim
