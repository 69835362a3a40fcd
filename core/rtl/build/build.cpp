// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/build.hpp"

#include "core/config/pattern.hpp"
#include "core/rtl/build/cache.hpp"
#include "core/rtl/build/probe.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;
using config::Error;

constexpr const char* prefix = "Vown"; // Prefix of Verilator's classes.

std::vector<std::string> words_of(const char* text)
{
    std::istringstream words(text);
    std::vector<std::string> all;
    for (std::string word; words >> word;)
        all.push_back(word);
    return all;
}

/// A folder for intermediate files. The destructor deletes it unless load() has moved it to the
/// cache.
class Workspace {
public:
    explicit Workspace(const fs::path& cache)
        : path_(cache / ("building." + std::to_string(getpid())))
    {
        std::error_code failed;
        fs::remove_all(path_, failed);
        fs::create_directories(path_, failed);
        if (failed)
            throw Error(path_.string() + ": cannot be created: " + failed.message() +
                        "; set LEVEE_RTL_CACHE to another folder for RTL builds");
    }
    ~Workspace()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Returns names and values of the sizes that the block's C++ knows, in the order of the C++
/// struct.
std::vector<std::pair<std::string, std::uint64_t>> known_sizes(const RtlSource& source)
{
    std::vector<std::pair<std::string, std::uint64_t>> sizes;
    for (const std::string& word : words_of(source.parameters)) {
        const std::size_t equals = word.find('=');
        sizes.emplace_back(word.substr(0, equals), std::stoull(word.substr(equals + 1)));
    }
    return sizes;
}

/// Returns the sizes of the boundary. Each comes from the description's sizes, from its parameter
/// with the same name, or from the source's design.
std::map<std::string, std::uint64_t> sizes_of(const Description& description,
                                              const RtlSource& source)
{
    std::map<std::string, std::uint64_t> sizes;
    std::vector<std::string> names;
    for (const auto& [name, value] : known_sizes(source)) {
        names.push_back(name);
        sizes[name] = value;
    }
    for (const Connection& parameter : description.parameters) {
        std::uint64_t value = 0;
        const char* const end = parameter.to.data() + parameter.to.size();
        if (sizes.contains(parameter.port) &&
            std::from_chars(parameter.to.data(), end, value).ptr == end)
            sizes[parameter.port] = value;
    }
    for (const auto& [name, value] : description.sizes) {
        if (!sizes.contains(name))
            throw Error(description.place, "size: the boundary has no parameter '" + name + "'" +
                                               config::suggestion(name, names));
        sizes[name] = value;
    }
    return sizes;
}

/// Returns the description in which the value of a parameter that names a size of the boundary is
/// replaced by that size.
Description with_sizes(Description description, const RtlSource& source)
{
    description.sizes = sizes_of(description, source);
    for (Connection& parameter : description.parameters)
        if (const auto size = description.sizes.find(parameter.to); size != description.sizes.end())
            parameter.to = std::to_string(size->second);
    return description;
}

std::vector<std::string> arguments_of(Flavour flavour, const Tools& tools)
{
    if (flavour == Flavour::Fast)
        return tools.twin_arguments;
    // -fno-reloop: see levee_rtl_twin in cmake/LeveeRtl.cmake.
    std::vector<std::string> words = {"--assert", "--coverage-user", "-fno-reloop"};
    if (flavour == Flavour::Covered)
        words.insert(words.end(), {"--coverage-line", "--coverage-toggle"});
    return words;
}

/// Refuses connections whose two sides have different widths. Verilator has reported these as
/// warnings about the wrapper.
void check_widths(const std::string& log, const Fitted& fitted, const Description& description)
{
    for (const config::Match& warning :
         config::matches(log, "%Warning-WIDTH: [^\n]*boundary\\.sv:([0-9]+):[0-9]+: ([^\n]*)")) {
        const auto line = fitted.wrapper.lines.find(std::stoi(warning.groups[1]));
        const std::string& text = warning.groups[2];
        if (line == fitted.wrapper.lines.end())
            throw Error(description.place, "widths differ: " + text);
        throw Error(line->second.place, "port '" + line->second.port +
                                            "' does not have the width of "
                                            "'" +
                                            line->second.to + "': " + text);
    }
}

void verilate(const Description& description, const Fitted& fitted, Flavour flavour,
              const Tools& tools, const fs::path& folder)
{
    const fs::path wrapper = folder / "boundary.sv", log = folder / "verilator.log";
    write_text(wrapper, fitted.wrapper.text);
    std::vector<std::string> words = {
        tools.verilator, "--cc",       "--Mdir",           (folder / prefix).string(),
        "--prefix",      prefix,       "--top-module",     Wrapper::name,
        "-Wno-fatal",    "-Wno-style", "-Wno-DECLFILENAME"};
    for (const auto& more : {tools.verilator_arguments, arguments_of(flavour, tools),
                             source_arguments(description, tools)})
        words.insert(words.end(), more.begin(), more.end());
    words.push_back(wrapper.string());
    const int code = run_command(words, log);
    const std::string text = read_text(log);
    check_widths(text, fitted, description);
    if (code != 0)
        throw Error(description.place, "Verilator cannot read the RTL:\n" + errors_of(text));
}

/// Reads the ports of the Verilated class from its header. Returns one LEVEE_PORT(name, is_input,
/// bits) for each.
std::string port_list(const fs::path& folder)
{
    const std::string header = read_text(folder / prefix / (std::string(prefix) + ".h"));
    std::string text = "#define LEVEE_PORTS";
    for (const config::Match& port :
         config::matches(header, "VL_(IN|OUT)[0-9W]*\\(&?([A-Za-z_0-9]+),([0-9]+),([0-9]+)"))
        text += " \\\n    LEVEE_PORT(" + port.groups[2] +
                (port.groups[1] == "IN" ? ", true, " : ", false, ") +
                std::to_string(std::stoi(port.groups[3]) - std::stoi(port.groups[4]) + 1) + ")";
    return text + "\n";
}

/// Returns C++ source that connects the design to the block's pins and exports the design for
/// dlsym.
std::string glue(const RtlSource& source, Flavour flavour, const fs::path& folder)
{
    const std::string wiring = "#define LEVEE_DESIGN_PINS \"" + std::string(source.folder) +
                               "/pins.hpp\"\n#define LEVEE_DESIGN_NAMESPACE " + source.name_space +
                               "\n#include \"core/rtl/build/verilated_module.cpp\"\n";
    if (flavour == Flavour::Fast)
        return std::string("#define LEVEE_DESIGN ") + prefix + "\n" + wiring;
    return port_list(folder) + "#include \"core/rtl/build/recorded_design.hpp\"\n" +
           "using levee::own_rtl::RecordedDesign;\n#define LEVEE_DESIGN RecordedDesign\n" + wiring +
           "extern \"C\" levee::own_rtl::Recording levee_own_recording()\n"
           "{\n    using namespace levee::own_rtl;\n"
           "    return {on_edge, ports, write_coverage};\n}\n";
}

void compile(const Description& description, const std::vector<std::string>& words,
             const fs::path& log)
{
    if (run_command(words, log) == 0)
        return;
    const std::string text = read_text(log);
    const auto assertions = config::matches(text, "static assertion failed: ([^\n]*)");
    if (!assertions.empty())
        throw Error(description.place,
                    "the block cannot have this size: " + assertions.front().groups[1]);
    throw Error(description.place,
                "the Verilated design does not compile:\n" + text.substr(0, 3000));
}

std::vector<std::string> compiler_words(const Description& description, const RtlSource& source,
                                        const Tools& tools, const fs::path& folder)
{
    std::vector<std::string> words = tools.compiler;
    for (const char* const word : {"-std=c++20", "-fPIC", "-w", "-DNDEBUG", "-ffp-contract=off"})
        words.emplace_back(word);
#ifndef __clang__ // Clang supports neither the symbols that keep a library loaded nor this
                  // argument.
    words.emplace_back("-fno-gnu-unique");
#endif
    words.push_back("-I" + tools.sources.string());
    words.push_back("-I" + (folder / prefix).string());
    for (const std::string& include : tools.verilated_includes)
        words.insert(words.end(), {"-isystem", include});
    for (const std::string& definition : tools.verilated_definitions)
        words.push_back("-D" + definition);
    words.push_back(std::string("-DLEVEE_DESIGN_HEADER=\"") + prefix + ".h\"");
    words.emplace_back("-DLEVEE_DESIGN_MODEL=own");
    words.push_back("-DLEVEE_DESIGN_PARAMETERS=" + design_parameters(description, source));
    return words;
}

/// Compiles the files in `folder` to design.so.
void compile_all(const Description& description, const RtlSource& source, Flavour flavour,
                 const Tools& tools, const fs::path& folder)
{
    write_text(folder / "glue.cpp", glue(source, flavour, folder));
    const std::vector<std::string> common = compiler_words(description, source, tools, folder);
    const fs::path log = folder / "compiler.log", verilated = folder / prefix;
    compile(description,
            {"sh", (tools.sources / "cmake/verilated_units.sh").string(), verilated.string()}, log);
    std::vector<std::string> link = tools.compiler;
    link.insert(link.end(), {"-shared", "-o", (folder / "design.so").string()});
    for (const auto& [file, level] : {std::pair{folder / "glue", "-O2"},
                                      {verilated / "fast", "-O2"},
                                      {verilated / "slow", "-O0"}}) {
        std::vector<std::string> words = common;
        const std::string object = file.string() + ".o";
        words.insert(words.end(), {level, "-MD", "-c", file.string() + ".cpp", "-o", object});
        compile(description, words, log);
        link.push_back(object);
    }
    link.insert(link.end(), tools.verilated_libraries.begin(), tools.verilated_libraries.end());
    link.insert(link.end(), {"-lz", "-lpthread", "-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic",
                             "-Wl,--no-undefined"});
    compile(description, link, log);
}

/// Returns the files outside `folder` from which the design was built.
std::vector<fs::path> inputs_of(const Description& description, const Tools& tools,
                                const fs::path& folder)
{
    std::vector<fs::path> files = tools.verilated_libraries;
    const std::string own = fs::weakly_canonical(folder).string() + "/";
    const auto add = [&](const std::vector<fs::path>& inputs) {
        for (const fs::path& file : inputs) {
            const fs::path whole = fs::weakly_canonical(file); // ccache writes relative names.
            if (!whole.string().starts_with(own))
                files.push_back(whole);
        }
    };
    add(verilated_sources(folder / prefix / (std::string(prefix) + "__verFiles.dat")));
    for (const fs::path& file : description.files)
        if (std::ranges::find(files, fs::weakly_canonical(file)) == files.end())
            throw Error(description.place,
                        "Verilator did not read " + file.string() +
                            " but another file for it; expected a path without $ and quotes");
    add(prerequisites(folder / "glue.d"));
    return files;
}

/// Returns a text that identifies everything on which a design depends, except the contents of
/// files.
std::string identity(const Description& description, const RtlSource& source, Flavour flavour,
                     const Tools& tools)
{
    std::string text =
        std::to_string(static_cast<int>(flavour)) + description.top + glue(source, flavour, {});
    const auto add = [&](const std::string& word) { text += "\n" + word; };
    for (const std::string& word : source_arguments(description, tools))
        add(word);
    for (const auto& words : {tools.verilator_arguments, arguments_of(flavour, tools)})
        for (const std::string& word : words)
            add(word);
    for (const std::string& word : compiler_words(description, source, tools, {}))
        add(word);
    for (const auto* pins : {&description.parameters, &description.pins, &description.absent})
        for (const Connection& pin : *pins)
            add(pin.port + (pin.inverted ? "=~" : "=") + pin.to);
    // A new file may be found before an old one with the same name, so the names of included files
    // are part of the identity.
    for (const auto& [name, file] : included_files(description))
        add(name + "=" + file.string());
    return text;
}

void say_building(const Description& description)
{
    if (isatty(STDERR_FILENO) != 0)
        std::fprintf(stderr, "levee: building %s (Verilator, C++)\n", description.name.c_str());
}

Loaded open_design(const fs::path& library, const Description& description)
{
    try {
        return open_library(library);
    } catch (const std::runtime_error& error) {
        throw Error(description.place, error.what());
    }
}

} // namespace

std::string design_parameters(const Description& sized, const RtlSource& source)
{
    std::string text;
    for (const auto& [name, value] : known_sizes(source))
        text += (text.empty() ? "." : ",.") + name + "=" + std::to_string(sized.sizes.at(name));
    return text;
}

Description tree_description(const RtlSource& source, const Description* like, const Tools& tools)
{
    Description description;
    description.name = source.top;
    if (like != nullptr)
        description.place = like->place;
    else
        description.place.file = std::make_shared<const std::string>(source.top);
    description.top_place = description.place;
    description.top = source.top;
    std::istringstream files(source.files);
    for (std::string file; std::getline(files, file, ';');)
        description.files.push_back((tools.sources / file).lexically_normal());
    if (like != nullptr)
        description.sizes = sizes_of(*like, source);
    for (const auto& [name, value] : sizes_of(description, source))
        description.parameters.push_back({name, std::to_string(value), false, description.place});
    return description;
}

Fitted fit(const Description& description, const RtlSource& source, const Tools& tools,
           const fs::path& folder)
{
    const Description sized = with_sizes(description, source);
    Fitted fitted;
    fitted.boundary = probe(tree_description(source, &sized, tools), tools, folder);
    fitted.wrapper = wrap(sized, probe(sized, tools, folder), fitted.boundary);
    return fitted;
}

Loaded load(const Description& description, const RtlSource& source, Flavour flavour,
            const Tools& tools)
{
    make_libraries(tools.verilated_libraries);
    const Description sized = with_sizes(description, source);
    const fs::path cached = tools.cache / hash_of(identity(sized, source, flavour, tools));
    if (!fingerprints_hold(cached / "inputs")) {
        say_building(sized);
        const auto begun = fs::file_time_type::clock::now();
        const Workspace work(tools.cache);
        const Fitted fitted = fit(sized, source, tools, work.path());
        verilate(sized, fitted, flavour, tools, work.path());
        compile_all(sized, source, flavour, tools, work.path());
        write_fingerprints(work.path() / "inputs", inputs_of(sized, tools, work.path()), begun);
        std::error_code failed;
        fs::remove_all(cached, failed);
        fs::rename(work.path(), cached, failed);
        if (failed) // Another process may have built it first, possibly from other sources.
            return open_design(work.path() / "design.so", sized);
    }
    return open_design(cached / "design.so", sized);
}

} // namespace levee::own_rtl
