// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/testbench.hpp"

#include "platform/studies/cosim/export.hpp"

#include <stdexcept>

namespace levee::cosim {

namespace {

using own_rtl::Port;

bool is_clock(const Port& port)
{
    return port.name == "clk_i";
}

/// Positions of ports in the vector of their direction. The first port has the highest bits.
class Places {
public:
    Places(const own_rtl::Interface& boundary, bool inputs)
    {
        for (const Port& port : boundary.ports)
            if (port.is_input == inputs && !is_clock(port))
                bits_ += port.bits;
    }
    [[nodiscard]] unsigned bits() const { return bits_; }
    struct Bits {
        std::string high, low;
    };
    /// Returns the position of the next port's bits.
    Bits next_bits(const Port& port)
    {
        taken_ += port.bits;
        return {std::to_string(bits_ - taken_ + port.bits - 1), std::to_string(bits_ - taken_)};
    }
    /// Returns the next port's bits as "[high:low]".
    std::string next(const Port& port)
    {
        const Bits bits = next_bits(port);
        return "[" + bits.high + ":" + bits.low + "]";
    }

private:
    unsigned bits_ = 0, taken_ = 0;
};

/// Returns an instance of the design, whose pins are slices of the vectors `in` and `got`.
std::string instance(const ExportFacts& facts)
{
    Places in(facts.boundary, true), out(facts.boundary, false);
    std::string text = "  " + std::string(own_rtl::Wrapper::name) + " u_dut (";
    const char* separator = "\n";
    for (const Port& port : facts.boundary.ports) {
        const std::string to = is_clock(port)  ? "clk"
                               : port.is_input ? "in" + in.next(port)
                                               : "got" + out.next(port);
        text += std::string(separator) + "    ." + port.name + "(" + to + ")";
        separator = ",\n";
    }
    return text + "\n  );\n";
}

std::string comparisons(const ExportFacts& facts)
{
    Places out(facts.boundary, false);
    std::string text;
    for (const Port& port : facts.boundary.ports) {
        if (port.is_input)
            continue;
        const std::string slice = out.next(port);
        text += "        if (((want" + slice + " ^ got" + slice + ") & counts" + slice +
                ") !== 0)\n          $display(\"  signal " + port.name +
                ": expected %h, got %h\", want" + slice + ", got" + slice + ");\n";
    }
    return text;
}

std::string command(const ExportFacts& facts)
{
    return "./levee cosim " + facts.block +
           (facts.rtl.empty() ? "" : " --rtl " + shell_word(facts.rtl)) + " --seed " +
           std::to_string(facts.seed);
}

/// Adds the ports as members of a C++ struct, and the code that moves their values.
void add_bus(const ExportFacts& facts, Texts& texts)
{
    for (const Port& port : facts.boundary.ports) {
        const std::string type = port.bits <= 8    ? "CData"
                                 : port.bits <= 16 ? "SData"
                                 : port.bits <= 32 ? "IData"
                                 : port.bits <= 64
                                     ? "QData"
                                     : "VlWide<" + std::to_string((port.bits + 31) / 32) + ">";
        texts["members"] += "    " + type + " " + port.name + ";\n";
        const std::string arguments = "(&" + port.name + ", " + std::to_string(port.bits) + ");\n";
        if (!port.is_input)
            texts["takes"] += "        vector.take" + arguments;
        else if (!is_clock(port))
            texts["puts"] += "        vector.put" + arguments;
    }
}

std::string yosys_arguments(const own_rtl::Description& design)
{
    std::string text;
    for (const auto& folder : design.includes)
        text += " -I" + folder.string();
    text += " -Irtl";
    for (const std::string& define : design.defines)
        text += " -D" + define;
    for (const auto& file : design.files)
        text += " " + file.string();
    return text;
}

} // namespace

Texts texts_of(const ExportFacts& facts)
{
    Texts texts;
    texts["block"] = facts.block;
    texts["command"] = command(facts);
    texts["operations"] = std::to_string(facts.operations);
    texts["seed"] = std::to_string(facts.seed);
    texts["cycles"] = std::to_string(facts.cycles);
    texts["counting_cycles"] = std::to_string(facts.counting_cycles);
    texts["inputs"] = std::to_string(Places(facts.boundary, true).bits());
    texts["outputs"] = std::to_string(Places(facts.boundary, false).bits());
    texts["instance"] = instance(facts);
    texts["comparisons"] = comparisons(facts);
    texts["yosys"] = yosys_arguments(facts.design);
    for (const std::string& argument : facts.design.arguments)
        texts["arguments"] += " " + argument;
    texts.try_emplace("arguments");
    add_bus(facts, texts);
    return texts;
}

void write_from_template(const own_rtl::Tools& tools, const std::string& name, const Texts& texts,
                         const std::filesystem::path& folder)
{
    const std::filesystem::path from = tools.sources / "platform/studies/cosim/exported" / name;
    std::string text = own_rtl::read_text(from);
    if (text.empty())
        throw std::runtime_error(from.string() + ": no such file");
    for (const auto& [key, value] : texts) {
        const std::string mark = "@" + key + "@";
        for (std::size_t at = text.find(mark); at != std::string::npos;
             at = text.find(mark, at + value.size()))
            text.replace(at, mark.size(), value);
    }
    own_rtl::write_text(folder / name, text);
}

std::string bit_table(const ExportFacts& facts)
{
    Places in(facts.boundary, true), out(facts.boundary, false);
    std::string text = "pin\tfile\thigh\tlow\n";
    for (const Port& port : facts.boundary.ports) {
        if (is_clock(port))
            continue;
        const Places::Bits bits = (port.is_input ? in : out).next_bits(port);
        text += port.name + (port.is_input ? "\tstimulus.memh\t" : "\texpected.memh\t") +
                bits.high + "\t" + bits.low + "\n";
    }
    return text;
}

std::string file_list(const ExportFacts& facts)
{
    std::string text;
    for (const auto& folder : facts.design.includes)
        text += "+incdir+" + folder.string() + "\n";
    text += "+incdir+rtl\n";
    for (const std::string& define : facts.design.defines)
        text += "+define+" + define + "\n";
    for (const auto& file : facts.design.files)
        text += file.string() + "\n";
    return text + "boundary.sv\n";
}

} // namespace levee::cosim
