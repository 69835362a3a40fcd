// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/export.hpp"

#include "core/config/output_file.hpp"
#include "core/rtl/build/build.hpp"
#include "platform/studies/cosim/pin_rules.hpp"
#include "platform/studies/cosim/reference_sources.hpp"
#include "platform/studies/cosim/testbench.hpp"
#include "platform/studies/cosim/vectors.hpp"

#include <cstdio>
#include <stdexcept>

namespace levee::cosim {

namespace {

namespace fs = std::filesystem;
using own_rtl::Description;
using own_rtl::Flavour;
using own_rtl::Tools;
using own_rtl::write_text;

/// Runs the operations on `golden` and writes their vectors. Sets the numbers of cycles in `facts`.
void write_vectors(const Target& target, const ExportRequest& request, const Description& golden,
                   const Tools& tools, ExportFacts& facts)
{
    const own_rtl::Loaded loaded = own_rtl::load(golden, target.boundary, Flavour::Checked, tools);
    VectorWriter vectors(loaded.recording, facts.boundary, PinRules(target.ports), request.folder);
    const std::unique_ptr<Bench> bench = target.make_on(loaded.model, request.seed);
    for (std::uint64_t i = 0; i < request.operations; ++i) {
        vectors.begin_operation(i);
        const Outcome outcome = bench->run(i);
        if (outcome.value || outcome.cycle)
            throw std::runtime_error(target.name +
                                     ": the block's own design differs from its reference in "
                                     "operation " +
                                     std::to_string(i) + ":\n" +
                                     describe(outcome.value ? *outcome.value : *outcome.cycle));
    }
    vectors.close();
    facts.cycles = vectors.cycles();
    facts.counting_cycles = vectors.counting_cycles();
}

/// Returns whether file lists of simulators, make and Yosys scripts read the path as one word.
bool is_plain(const fs::path& path)
{
    constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-./+,@";
    return path.string().find_first_not_of(letters) == std::string::npos;
}

/// Replaces each path that is not plain by a link in `folder`, whose name is `name` and a number.
void link_others(std::vector<fs::path>& paths, const fs::path& folder, const fs::path& name)
{
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (is_plain(paths[i]))
            continue;
        const fs::path ending = paths[i].extension();
        const fs::path link =
            name.string() + std::to_string(i) + (is_plain(ending) ? ending.string() : ".sv");
        fs::remove(folder / link);
        fs::create_symlink(paths[i], folder / link);
        paths[i] = link;
    }
}

/// Copies sources of Levee's source tree to the export's rtl/. A user's sources are not copied.
void place_sources(Description& design, const Tools& tools, const fs::path& folder, bool is_own)
{
    fs::create_directories(folder / "rtl");
    const auto copy = [&](const fs::path& file) {
        config::copy_output(file, folder / "rtl" / file.filename());
        return fs::path("rtl") / file.filename();
    };
    copy(tools.sources / "rtl/common/assert.svh");
    if (is_own)
        for (fs::path& file : design.files)
            file = copy(file);
    link_others(design.files, folder, "rtl/own_file");
    link_others(design.includes, folder, "rtl/own_include");
}

void write_texts(const Target& target, const ExportFacts& facts, const Tools& tools,
                 const fs::path& folder)
{
    const Texts texts = texts_of(facts);
    for (const char* const name :
         {"testbench.sv", "testbench_dpi.sv", "testbench_vpi.v", "testbench_vpi.c",
          "verilated_vpi_main.cpp", "netlist.ys", "Makefile", "README.md"})
        write_from_template(tools, name, texts, folder);
    write_text(folder / "files.f", file_list(facts));
    write_text(folder / "bits.tsv", bit_table(facts));
    write_reference(target, facts, tools, folder / "reference");
}

} // namespace

std::string shell_word(const fs::path& path)
{
    if (is_plain(path))
        return path.string();
    std::string word = "'";
    for (const char letter : path.string())
        word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return word + "'";
}

void export_bench(const Target& target, const ExportRequest& request)
{
    const Tools tools = own_rtl::default_tools();
    fs::create_directories(request.folder / "reference");
    ExportFacts facts;
    facts.block = target.name;
    facts.rtl = request.rtl.string();
    facts.operations = request.operations;
    facts.seed = request.seed;
    facts.design = request.rtl.empty() ? own_rtl::tree_description(*target.source, nullptr, tools)
                                       : own_rtl::read_description(config::load_yaml(request.rtl));
    const Description golden = own_rtl::tree_description(target.boundary, &facts.design, tools);
    const own_rtl::Fitted fitted =
        own_rtl::fit(facts.design, target.boundary, tools, request.folder);
    for (const char* const probe : {"probe.sv", "probe.xml", "probe.log"})
        fs::remove(request.folder / probe);
    facts.boundary = fitted.boundary;
    facts.parameters = own_rtl::design_parameters(golden, target.boundary);
    write_text(request.folder / "boundary.sv", fitted.wrapper.text);
    write_vectors(target, request, golden, tools, facts);
    place_sources(facts.design, tools, request.folder, request.rtl.empty());
    write_texts(target, facts, tools, request.folder);
    std::printf("%s: %llu operations, seed %u, %llu cycles in %s (see README.md in this folder)\n",
                target.name.c_str(), static_cast<unsigned long long>(request.operations),
                request.seed, static_cast<unsigned long long>(facts.cycles),
                request.folder.c_str());
}

} // namespace levee::cosim
