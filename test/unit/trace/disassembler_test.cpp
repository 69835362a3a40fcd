// SPDX-License-Identifier: Apache-2.0
// Compares the disassembler with GNU objdump for every instruction of every program, and every
// compressed encoding.
#include "platform/observe/trace/disassembler.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace levee;

struct Line {
    std::uint32_t address;
    std::uint32_t raw;
    std::string text; // The mnemonic, a tab and the operands.
};

/// Returns objdump's output for instructions, without symbols and comments.
std::vector<Line> objdump(const std::string& arguments)
{
    FILE* pipe = popen((std::string(LEVEE_OBJDUMP) + " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
        output.append(buffer.data(), got);
    REQUIRE(pclose(pipe) == 0);

    std::vector<Line> lines;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = output.find('\n', at);
        std::string line = output.substr(at, end - at);
        at = end + 1;
        unsigned address = 0, raw = 0;
        if (std::sscanf(line.c_str(), "%x:\t%x", &address, &raw) != 2)
            continue;
        const std::size_t text = line.find('\t', line.find('\t') + 1);
        if (text == std::string::npos) // These are data between code.
            continue;
        line = line.substr(text + 1);
        line = line.substr(0, std::min(line.find(" #"), line.find(" <")));
        lines.push_back({address, raw, line});
    }
    return lines;
}

/// Removes differences between versions of objdump. Some omit the "i" if an operand implies it.
/// Without symbols, targets begin with "0x".
std::string normal(std::string text)
{
    for (std::size_t at; (at = text.find("0x")) != std::string::npos;)
        text.erase(at, 2);
    static const std::map<std::string, std::string> shorter{
        {"addi", "add"},     {"andi", "and"},   {"ori", "or"},       {"xori", "xor"},
        {"slli", "sll"},     {"srli", "srl"},   {"srai", "sra"},     {"csrwi", "csrw"},
        {"csrsi", "csrs"},   {"csrci", "csrc"}, {"csrrwi", "csrrw"}, {"csrrsi", "csrrs"},
        {"csrrci", "csrrc"}, {"slti", "slt"},   {"sltiu", "sltu"}};
    // Some versions do not know this name.
    if (const auto at = text.find("mconfigptr"); at != std::string::npos)
        text.replace(at, std::string("mconfigptr").size(), "f15");
    const std::size_t tab = text.find('\t');
    const auto known = shorter.find(text.substr(0, tab));
    return known == shorter.end() ? text : known->second + text.substr(known->first.size());
}

/// objdump has its own names for hints (results to x0, or a register moved to itself), and knows
/// extensions that the core lacks. Programs contain no hints and no such instructions. Data between
/// their code may look like them.
bool is_comparable(const riscv::Op& op)
{
    using riscv::Code;
    const bool flow = op.code >= Code::jal && op.code <= Code::bgeu;
    const bool store = op.code >= Code::sb && op.code <= Code::sw;
    const bool own_value = op.rd == op.rs1 && op.imm == 0 && op.code >= Code::addi &&
                           op.code <= Code::srai && op.code != Code::andi;
    const bool compressed = op.step == 1;
    const bool hint = compressed && !flow && !store && (own_value || op.rd == riscv::discard);
    const bool is_ebreak = op.code == Code::ebreak;
    return op.code != Code::illegal && (!hint || is_ebreak || op.raw == 0x0001);
}

/// Compares a program's instructions and returns how many were compared.
std::size_t compare(const std::string& objdump_arguments)
{
    INFO(objdump_arguments);
    std::size_t compared = 0;
    for (const Line& line : objdump(objdump_arguments)) {
        const riscv::Op op = riscv::decode(line.raw, line.address, {});
        if (!is_comparable(op) || line.text[0] == '.') // A directive means data.
            continue;
        ++compared;
        const std::string ours = trace::disassemble(op);
        if (normal(ours) != normal(line.text))
            FAIL_CHECK(std::hex << line.address << ": " << line.raw << " is\n  " << line.text
                                << "\nnot\n  " << ours);
    }
    return compared;
}

} // namespace

TEST_CASE("all instructions of all programs are printed as by objdump")
{
    for (const char* folder : {LEVEE_FIRMWARE_DIR, LEVEE_ISA_DIR}) {
        std::size_t compared = 0;
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".elf")
                compared += compare("-d '" + entry.path().string() + "'");
        INFO(folder);
        CHECK(compared > 5000);
    }
}

TEST_CASE("every compressed instruction that is not a hint is printed as by objdump")
{
    const fs::path file =
        fs::temp_directory_path() / ("levee_compressed." + std::to_string(::getpid()));
    {
        std::ofstream stream(file, std::ios::binary);
        for (std::uint32_t raw = 0; raw < 0x10000; ++raw)
            if ((raw & 3) != 3)
                stream.put(static_cast<char>(raw)).put(static_cast<char>(raw >> 8));
    }
    CHECK(compare("-D -b binary -m riscv:rv32 '" + file.string() + "'") > 25'000);
    fs::remove(file);
}

TEST_CASE("instructions that the comparison with objdump does not cover")
{
    const auto text = [](std::uint32_t raw) {
        return trace::disassemble(riscv::decode(raw, 0x8000'0000, {}));
    };
    CHECK(text(0x0000'000F | 0x3u << 24 | 0x1u << 20) == "fence\trw,w");
    CHECK(text(0x8330'000F) == "fence.tso");
    CHECK(text(0x7C05'1073) == "csrw\t0x7c0,a0");
    CHECK(text(0x3004'6073) == "csrsi\tmstatus,8");
    CHECK(text(0xFFFF'FFFF) == ".word\t0xffffffff");
    CHECK(text(0x0000'9002) == "ebreak");
    CHECK(text(0xFE05'4EE3) == "bltz\ta0,7ffffffc");
}
