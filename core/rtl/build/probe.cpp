// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/probe.hpp"

#include "core/config/pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;
using config::Error;

/// Value of an attribute in a line of Verilator's XML; empty: none.
std::string attribute(const std::string& line, const std::string& name)
{
    const std::string mark = " " + name + "=\"";
    const std::size_t begin = line.find(mark);
    if (begin == std::string::npos)
        return {};
    const std::size_t first = begin + mark.size();
    return line.substr(first, line.find('"', first) - first);
}

/// Widths of types that are plain vectors, by type id.
std::map<std::string, unsigned> widths_in(const std::string& xml)
{
    std::map<std::string, unsigned> widths;
    std::istringstream lines(xml);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("<basicdtype ") == std::string::npos)
            continue;
        const int left = std::atoi(attribute(line, "left").c_str());
        const int right = std::atoi(attribute(line, "right").c_str());
        widths[attribute(line, "id")] = static_cast<unsigned>(std::abs(left - right)) + 1;
    }
    return widths;
}

Interface interface_in(const std::string& xml, const std::string& top)
{
    const std::map<std::string, unsigned> widths = widths_in(xml);
    Interface result;
    bool inside = false;
    std::istringstream lines(xml);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("<module ") != std::string::npos)
            inside = attribute(line, "origName") == top;
        if (inside && line.find("</module>") != std::string::npos)
            break;
        if (!inside)
            continue;
        const std::string direction = attribute(line, "dir");
        if (line.find("<var ") != std::string::npos && !direction.empty() &&
            !attribute(line, "pinIndex").empty()) {
            const auto width = widths.find(attribute(line, "dtype_id"));
            result.ports.push_back({attribute(line, "origName"), direction == "input",
                                    width == widths.end() ? 0 : width->second});
        }
    }
    return result;
}

std::string instance_parameters(const Description& description)
{
    std::string text;
    for (const Connection& parameter : description.parameters)
        text += (text.empty() ? " #(." : ", .") + parameter.port + "(" + parameter.to + ")";
    return text.empty() ? text : text + ")";
}

[[noreturn]] void refuse(const Description& description, const std::string& log)
{
    const auto found = config::matches(log, "Parameter pin not found: '([^']*)'");
    if (!found.empty())
        for (const Connection& parameter : description.parameters)
            if (parameter.port == found.front().groups[1])
                throw Error(parameter.place,
                            description.top + " has no parameter '" + parameter.port +
                                "'; expected one of its parameters (a parameter "
                                "that only the boundary has belongs under 'size')");
    if (log.find("Cannot find file containing module: '" + description.top + "'") !=
        std::string::npos)
        throw Error(description.top_place,
                    "no file under 'files' has a module '" + description.top + "'");
    throw Error(description.place, "Verilator cannot read the RTL:\n" + errors_of(log));
}

} // namespace

const Port* Interface::find(const std::string& name) const
{
    const auto found = std::ranges::find(ports, name, &Port::name);
    return found == ports.end() ? nullptr : &*found;
}

std::vector<std::string> Interface::names() const
{
    std::vector<std::string> all;
    for (const Port& port : ports)
        all.push_back(port.name);
    return all;
}

std::vector<std::string> source_arguments(const Description& description, const Tools& tools)
{
    std::vector<std::string> words = description.arguments;
    for (const std::string& define : description.defines)
        words.push_back("-D" + define);
    for (const fs::path& folder : description.includes)
        words.push_back("-I" + folder.string());
    words.push_back("-I" + (tools.sources / "rtl/common").string());
    for (const fs::path& file : description.files)
        words.push_back(file.string());
    return words;
}

std::string errors_of(const std::string& log)
{
    constexpr int most_lines = 24;
    std::string text;
    bool is_error = false;
    int count = 0;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line) && count < most_lines;) {
        if (line.starts_with('%'))
            is_error = line.starts_with("%Error") &&
                       line.find("Exiting due to") == std::string::npos &&
                       line.find("Command Failed") == std::string::npos;
        if (!is_error)
            continue;
        text += "  " + line + "\n";
        ++count;
    }
    if (text.empty())
        text = "  " + log.substr(log.size() - std::min<std::size_t>(log.size(), 2000));
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

Interface probe(const Description& description, const Tools& tools, const fs::path& folder)
{
    const fs::path instance = folder / "probe.sv", xml = folder / "probe.xml",
                   log = folder / "probe.log";
    write_text(instance, "module levee_probe;\n  " + description.top +
                             instance_parameters(description) + " u_dut ();\nendmodule\n");
    fs::remove(log);
    std::vector<std::string> words = {tools.verilator, "--xml-only",   "--xml-output",
                                      xml.string(),    "--top-module", "levee_probe",
                                      "--Mdir",        folder.string()};
    // Lint messages are reported later, when the design is built.
    for (const char* const word : {"-Wno-fatal", "-Wno-lint", "-Wno-style"})
        words.emplace_back(word);
    const std::vector<std::string> sources = source_arguments(description, tools);
    words.insert(words.end(), sources.begin(), sources.end());
    words.push_back(instance.string());
    const int code = run_command(words, log);
    constexpr int no_such_program = 127;
    if (code == no_such_program)
        throw Error(description.place, tools.verilator +
                                           " cannot be started; expected Verilator 5.006 or later, "
                                           "Debian's package 'verilator'");
    if (code != 0)
        refuse(description, read_text(log));
    return interface_in(read_text(xml), description.top);
}

} // namespace levee::own_rtl
