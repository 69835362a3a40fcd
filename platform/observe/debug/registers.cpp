// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/registers.hpp"

#include <algorithm>
#include <array>

namespace levee::debug {

namespace {

constexpr std::array<const char*, 32> general_names{
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

void add_numbered(std::vector<NamedCsr>& list, const std::string& stem, const std::string& suffix,
                  std::uint32_t first_index, std::uint32_t last_index, std::uint32_t first_number)
{
    for (std::uint32_t i = first_index; i <= last_index; ++i)
        list.push_back({stem + std::to_string(i) + suffix, first_number + (i - first_index)});
}

std::vector<NamedCsr> make_names()
{
    std::vector<NamedCsr> list{
        {"mstatus", 0x300},  {"misa", 0x301},          {"mie", 0x304},       {"mtvec", 0x305},
        {"mstatush", 0x310}, {"mcountinhibit", 0x320}, {"mscratch", 0x340},  {"mepc", 0x341},
        {"mcause", 0x342},   {"mtval", 0x343},         {"mip", 0x344},       {"tselect", 0x7A0},
        {"tdata1", 0x7A1},   {"tdata2", 0x7A2},        {"tdata3", 0x7A3},    {"mcycle", 0xB00},
        {"minstret", 0xB02}, {"mcycleh", 0xB80},       {"minstreth", 0xB82}, {"cycle", 0xC00},
        {"time", 0xC01},     {"instret", 0xC02},       {"cycleh", 0xC80},    {"timeh", 0xC81},
        {"instreth", 0xC82}, {"mvendorid", 0xF11},     {"marchid", 0xF12},   {"mimpid", 0xF13},
        {"mhartid", 0xF14},  {"mconfigptr", 0xF15}};
    add_numbered(list, "mhpmevent", "", 3, 31, 0x323);
    add_numbered(list, "pmpcfg", "", 0, 3, 0x3A0);
    add_numbered(list, "pmpaddr", "", 0, 15, 0x3B0);
    add_numbered(list, "mhpmcounter", "", 3, 31, 0xB03);
    add_numbered(list, "mhpmcounter", "h", 3, 31, 0xB83);
    add_numbered(list, "hpmcounter", "", 3, 31, 0xC03);
    add_numbered(list, "hpmcounter", "h", 3, 31, 0xC83);
    std::sort(list.begin(), list.end(),
              [](const NamedCsr& a, const NamedCsr& b) { return a.number < b.number; });
    return list;
}

/// Returns attributes of a general register for LLDB, which has no built-in table of
/// registers.
std::string lldb_attributes(std::uint32_t number)
{
    constexpr std::uint32_t ra = 1, sp = 2, fp = 8, first_argument = 10, last_argument = 17;
    const std::string generic = number == ra   ? "ra"
                                : number == sp ? "sp"
                                : number == fp ? "fp"
                                : number >= first_argument && number <= last_argument
                                    ? "arg" + std::to_string(number - first_argument + 1)
                                    : "";
    const std::string itself = std::to_string(number);
    return " altname=\"x" + itself + "\" ehframe_regnum=\"" + itself + "\" dwarf_regnum=\"" +
           itself + "\"" + (generic.empty() ? "" : " generic=\"" + generic + "\"");
}

std::string reg(const std::string& name, std::uint32_t number, const std::string& more)
{
    return "<reg name=\"" + name + "\" bitsize=\"32\" regnum=\"" + std::to_string(number) + "\"" +
           more + "/>\n";
}

} // namespace

const std::vector<NamedCsr>& csr_names()
{
    static const std::vector<NamedCsr> names = make_names();
    return names;
}

std::optional<std::uint32_t> register_number(const std::string& name)
{
    if (name == "pc")
        return register_pc;
    for (std::uint32_t i = 0; i < general_names.size(); ++i)
        if (name == general_names[i] || name == "x" + std::to_string(i))
            return i;
    for (const NamedCsr& csr : csr_names())
        if (name == csr.name)
            return register_first_csr + csr.number;
    return std::nullopt;
}

std::string target_description()
{
    std::string text = "<?xml version=\"1.0\"?>\n"
                       "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                       "<target version=\"1.0\">\n"
                       "<architecture>riscv:rv32</architecture>\n"
                       "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
    for (std::uint32_t i = 0; i < general_names.size(); ++i) {
        const bool pointer = i == 2 || i == 3 || i == 4 || i == 8;
        text += reg(general_names[i], i,
                    (pointer ? " type=\"data_ptr\"" : " type=\"int\"") + lldb_attributes(i));
    }
    text += reg("pc", register_pc, " type=\"code_ptr\" generic=\"pc\"");
    text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
    for (const NamedCsr& csr : csr_names())
        text += reg(csr.name, register_first_csr + csr.number,
                    " type=\"int\" group=\"csr\" save-restore=\"no\"");
    text += "</feature>\n</target>\n";
    return text;
}

} // namespace levee::debug
