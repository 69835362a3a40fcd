// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/disassembler.hpp"

#include "ip/riscv/bits.hpp"
#include "ip/riscv/csr.hpp"

#include <array>
#include <cstdio>
#include <utility>

namespace levee::trace {

namespace {

using riscv::Code;
using riscv::Op;

constexpr std::array<const char*, 32> registers{"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                                "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                                "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                                "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

constexpr unsigned zero = 0, ra = 1;

// Mnemonics in the order of riscv::Code, from `beq` on. They are the enumerators' names, except
// where these are C++ keywords.
struct Mnemonics {
    std::array<std::string, 64> names;
    Mnemonics()
    {
#define LEVEE_TRACE_NAME(name) names[static_cast<unsigned>(Code::name)] = #name;
        LEVEE_RISCV_OPERATIONS(LEVEE_TRACE_NAME)
#undef LEVEE_TRACE_NAME
        for (const auto& [code, name] : {std::pair{Code::bit_xor, "xor"},
                                         {Code::bit_or, "or"},
                                         {Code::bit_and, "and"},
                                         {Code::fence_i, "fence.i"},
                                         {Code::lr, "lr.w"},
                                         {Code::sc, "sc.w"}})
            names[static_cast<unsigned>(code)] = name;
    }
};

const std::string& mnemonic(Code code)
{
    static const Mnemonics mnemonics;
    return mnemonics.names[static_cast<unsigned>(code)];
}

std::string hexadecimal(std::uint32_t value, const char* format = "0x%x")
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

unsigned destination(const Op& op)
{
    return op.rd == riscv::discard ? zero : op.rd;
}

std::string rd(const Op& op)
{
    return registers[destination(op)];
}
std::string rs1(const Op& op)
{
    return registers[op.rs1];
}
std::string rs2(const Op& op)
{
    return registers[op.rs2];
}

std::uint32_t wide(const Op& op)
{
    const auto half = static_cast<std::uint16_t>(op.raw);
    return riscv::is_wide(half) ? op.raw : riscv::expand_compressed(half).value_or(op.raw);
}

std::string join(const std::string& name, const std::string& operands)
{
    return operands.empty() ? name : name + "\t" + operands;
}

std::string branch(const Op& op)
{
    const std::string target = hexadecimal(static_cast<std::uint32_t>(op.imm), "%x");
    if (op.rs2 == zero && op.code != Code::bltu && op.code != Code::bgeu)
        return join(mnemonic(op.code) + "z", rs1(op) + "," + target);
    if (op.rs1 == zero && op.code == Code::bge)
        return join("blez", rs2(op) + "," + target);
    if (op.rs1 == zero && op.code == Code::blt)
        return join("bgtz", rs2(op) + "," + target);
    return join(mnemonic(op.code), rs1(op) + "," + rs2(op) + "," + target);
}

std::string jump(const Op& op)
{
    const std::string target = hexadecimal(static_cast<std::uint32_t>(op.imm), "%x");
    if (destination(op) == zero)
        return join("j", target);
    return join("jal", destination(op) == ra ? target : rd(op) + "," + target);
}

std::string jump_register(const Op& op)
{
    const std::string where = op.imm == 0 ? rs1(op) : std::to_string(op.imm) + "(" + rs1(op) + ")";
    if (destination(op) == zero)
        return op.imm == 0 && op.rs1 == ra ? "ret" : join("jr", where);
    return join("jalr", destination(op) == ra ? where : rd(op) + "," + where);
}

std::string access(const Op& op, const std::string& data)
{
    return join(mnemonic(op.code), data + "," + std::to_string(op.imm) + "(" + rs1(op) + ")");
}

std::string immediate(const Op& op)
{
    if (op.code == Code::addi) {
        if (destination(op) == zero && op.rs1 == zero && op.imm == 0)
            return "nop";
        if (op.rs1 == zero)
            return join("li", rd(op) + "," + std::to_string(op.imm));
        if (op.imm == 0)
            return join("mv", rd(op) + "," + rs1(op));
    }
    if (op.code == Code::xori && op.imm == -1)
        return join("not", rd(op) + "," + rs1(op));
    if (op.code == Code::sltiu && op.imm == 1)
        return join("seqz", rd(op) + "," + rs1(op));
    if (op.code == Code::andi && op.imm == 0xFF)
        return join("zext.b", rd(op) + "," + rs1(op));
    const bool shift = op.code == Code::slli || op.code == Code::srli || op.code == Code::srai;
    const std::string value =
        shift ? hexadecimal(static_cast<std::uint32_t>(op.imm)) : std::to_string(op.imm);
    return join(mnemonic(op.code), rd(op) + "," + rs1(op) + "," + value);
}

std::string registers_only(const Op& op)
{
    const bool compressed = op.step == 1;
    if (op.code == Code::add && op.rs1 == zero && compressed)
        return join("mv", rd(op) + "," + rs2(op));
    if (op.code == Code::sub && op.rs1 == zero)
        return join("neg", rd(op) + "," + rs2(op));
    if (op.code == Code::sltu && op.rs1 == zero)
        return join("snez", rd(op) + "," + rs2(op));
    if (op.code == Code::slt && op.rs2 == zero)
        return join("sltz", rd(op) + "," + rs1(op));
    if (op.code == Code::slt && op.rs1 == zero)
        return join("sgtz", rd(op) + "," + rs2(op));
    return join(mnemonic(op.code), rd(op) + "," + rs1(op) + "," + rs2(op));
}

std::string amo_name(std::int32_t funct5)
{
    constexpr std::array<const char*, 8> names{"add", "xor", "or",   "and",
                                               "min", "max", "minu", "maxu"};
    return funct5 == 1 ? "amoswap.w"
                       : "amo" + std::string(names[static_cast<std::size_t>(funct5) >> 2]) + ".w";
}

std::string atomic(const Op& op)
{
    constexpr std::array<const char*, 4> order{"", ".rl", ".aq", ".aqrl"};
    const std::string name =
        (op.code == Code::amo ? amo_name(op.imm) : mnemonic(op.code)) + order[wide(op) >> 25 & 3];
    const std::string data = op.code == Code::lr ? "" : rs2(op) + ",";
    return join(name, rd(op) + "," + data + "(" + rs1(op) + ")");
}

std::string fence(const Op& op)
{
    const auto set = [](std::uint32_t bits) {
        std::string text;
        for (unsigned i = 0; i < 4; ++i)
            if ((bits >> (3 - i) & 1) != 0)
                text += "iorw"[i];
        return text.empty() ? std::string("unknown") : text;
    };
    const std::uint32_t before = riscv::field(op.raw, 24, 4);
    const std::uint32_t after = riscv::field(op.raw, 20, 4);
    if (op.raw >> 28 == 8 && before == 3 && after == 3)
        return "fence.tso";
    return before == 15 && after == 15 ? "fence" : join("fence", set(before) + "," + set(after));
}

/// Returns the pseudo-instruction for `csrrs rd, counter, zero`; null if the CSR has
/// none.
const char* counter_read(std::uint32_t number)
{
    using namespace riscv::csr_number;
    for (const auto& [counter, name] : {std::pair{cycle, "rdcycle"},
                                        {riscv::csr_number::time, "rdtime"},
                                        {instret, "rdinstret"},
                                        {cycleh, "rdcycleh"},
                                        {timeh, "rdtimeh"},
                                        {instreth, "rdinstreth"}})
        if (counter == number)
            return name;
    return nullptr;
}

std::string csr(const Op& op)
{
    const auto number = static_cast<std::uint32_t>(op.imm);
    const std::string name = csr_name(number);
    const std::uint32_t kind = op.rs2 & 3u;
    const bool immediate = (op.rs2 & 4u) != 0;
    const std::string source = immediate ? std::to_string(op.rs1) : rs1(op);
    const std::string suffix = immediate ? "i" : "";
    constexpr std::array<const char*, 4> letter{"", "w", "s", "c"};
    if (kind == 2 && op.rs1 == zero && !immediate) {
        const char* const read = counter_read(number);
        return read != nullptr ? join(read, rd(op)) : join("csrr", rd(op) + "," + name);
    }
    if (kind == 1 && number == riscv::csr_number::cycle && !immediate && destination(op) == zero &&
        op.rs1 == zero)
        return "unimp";
    if (destination(op) == zero)
        return join(std::string("csr") + letter[kind] + suffix, name + "," + source);
    return join(std::string("csrr") + letter[kind] + suffix, rd(op) + "," + name + "," + source);
}

std::string upper_immediate(const Op& op)
{
    constexpr std::uint32_t auipc = 0x17;
    const std::uint32_t word = wide(op);
    return join((word & 0x7F) == auipc ? "auipc" : "lui", rd(op) + "," + hexadecimal(word >> 12));
}

using namespace riscv::csr_number;

// CSRs with individual names (privileged specification, tables "allocated CSR addresses").
constexpr std::pair<std::uint32_t, const char*> csr_names[] = {{0x180, "satp"},
                                                               {mstatus, "mstatus"},
                                                               {misa, "misa"},
                                                               {0x302, "medeleg"},
                                                               {0x303, "mideleg"},
                                                               {mie, "mie"},
                                                               {mtvec, "mtvec"},
                                                               {mcounteren, "mcounteren"},
                                                               {mstatush, "mstatush"},
                                                               {mcountinhibit, "mcountinhibit"},
                                                               {mscratch, "mscratch"},
                                                               {mepc, "mepc"},
                                                               {mcause, "mcause"},
                                                               {mtval, "mtval"},
                                                               {mip, "mip"},
                                                               {tselect, "tselect"},
                                                               {mcycle, "mcycle"},
                                                               {minstret, "minstret"},
                                                               {mcycleh, "mcycleh"},
                                                               {minstreth, "minstreth"},
                                                               {cycle, "cycle"},
                                                               {riscv::csr_number::time, "time"},
                                                               {instret, "instret"},
                                                               {cycleh, "cycleh"},
                                                               {timeh, "timeh"},
                                                               {instreth, "instreth"},
                                                               {mvendorid, "mvendorid"},
                                                               {0xF12, "marchid"},
                                                               {0xF13, "mimpid"},
                                                               {mhartid, "mhartid"},
                                                               {mconfigptr, "mconfigptr"}};

// CSRs with numbered names. Each row has the first CSR's address, the number of CSRs, and the first
// index.
struct CsrRow {
    std::uint32_t first, count, from;
    const char* name;
};
constexpr CsrRow csr_rows[] = {
    {0x323, 29, 3, "mhpmevent"},        {pmpcfg0, 4, 0, "pmpcfg"},
    {pmpaddr0, 16, 0, "pmpaddr"},       {tselect + 1, 3, 1, "tdata"},
    {mcycle + 3, 29, 3, "mhpmcounter"}, {cycle + 3, 29, 3, "hpmcounter"}};

std::string no_instruction(const Op& op)
{
    if (op.step == 2)
        return join(".word", hexadecimal(op.raw, "0x%08x"));
    return op.raw == 0 ? "unimp" : join(".short", hexadecimal(op.raw, "0x%04x"));
}

} // namespace

const char* register_name(unsigned index)
{
    return registers[index];
}

std::string csr_name(std::uint32_t number)
{
    for (const auto& [known, name] : csr_names)
        if (known == number)
            return name;
    for (const CsrRow& row : csr_rows)
        if (number - row.first < row.count)
            return row.name + std::to_string(number - row.first + row.from);
    return hexadecimal(number);
}

std::string disassemble(const Op& op)
{
    if (op.code >= Code::beq && op.code <= Code::bgeu)
        return branch(op);
    if (op.code >= Code::lb && op.code <= Code::lhu)
        return access(op, rd(op));
    if (op.code >= Code::sb && op.code <= Code::sw)
        return access(op, rs2(op));
    if (op.code >= Code::addi && op.code <= Code::srai)
        return immediate(op);
    if (op.code >= Code::add && op.code <= Code::remu)
        return registers_only(op);
    switch (op.code) {
    case Code::load_immediate:
        return upper_immediate(op);
    case Code::jal:
        return jump(op);
    case Code::jalr:
        return jump_register(op);
    case Code::lr:
    case Code::sc:
    case Code::amo:
        return atomic(op);
    case Code::fence:
        return fence(op);
    case Code::csr:
        return csr(op);
    case Code::fence_i:
    case Code::ecall:
    case Code::ebreak:
    case Code::mret:
    case Code::wfi:
        return mnemonic(op.code);
    default:
        return no_instruction(op);
    }
}

} // namespace levee::trace
