// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/instruction_trace.hpp"

#include "platform/observe/trace/disassembler.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace levee::trace {

namespace {

template <typename... Values> std::string format(const char* pattern, Values... values)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), pattern, values...);
    return text.data();
}

std::string column(std::string text, std::size_t width)
{
    text.resize(std::max(text.size(), width), ' ');
    return text + "  ";
}

/// Returns whether the instruction writes a register that the trace shows.
bool has_result(const riscv::Op& op)
{
    const bool store = op.code >= riscv::Code::sb && op.code <= riscv::Code::sw;
    const bool branch = op.code >= riscv::Code::beq && op.code <= riscv::Code::bgeu;
    const bool system = op.code == riscv::Code::fence || op.code == riscv::Code::fence_i ||
                        op.code == riscv::Code::ecall || op.code == riscv::Code::ebreak ||
                        op.code == riscv::Code::mret || op.code == riscv::Code::wfi ||
                        op.code == riscv::Code::illegal;
    return !store && !branch && !system && op.rd != riscv::discard;
}

std::uint32_t low_bytes(std::uint32_t value, std::uint32_t size)
{
    return size == 4 ? value : value & ((1u << 8 * size) - 1);
}

} // namespace

std::string nanoseconds(std::uint64_t ps)
{
    return format("%llu.%03llu", static_cast<unsigned long long>(ps / 1000),
                  static_cast<unsigned long long>(ps % 1000));
}

InstructionTrace::InstructionTrace(const riscv::Hart& hart, const riscv::Clock& clock,
                                   const Symbols& symbols, const std::filesystem::path& path,
                                   const Window* window)
    : hart_(hart), clock_(clock), symbols_(symbols), file_(path), window_(window)
{
    file_.write("#      time ns        pc  symbol                            instruction"
                "                       register, memory\n");
}

bool InstructionTrace::before_instruction(std::uint32_t pc, std::uint64_t cycle)
{
    write_last();
    began_ = window_ == nullptr || window_->has(clock_.edge_ps(cycle).value_or(UINT64_MAX));
    last_ = hart_.instruction();
    last_pc_ = pc;
    last_cycle_ = cycle;
    last_source_ = hart_.reg(last_.rs2 & 31u);
    accesses_.clear();
    return true;
}

void InstructionTrace::after_access(std::uint32_t address, std::uint32_t size, bool write)
{
    accesses_.push_back({address, size, write});
}

/// Writes the line of the previous instruction. Called before the next one executes, when the
/// effects of the previous one are visible.
void InstructionTrace::write_last()
{
    if (!began_)
        return;
    std::string instruction = disassemble(last_);
    if (const auto tab = instruction.find('\t'); tab != std::string::npos)
        instruction.replace(tab, 1, tab < 8 ? 8 - tab : 1, ' ');
    std::string line =
        format("%14s  %08x  ",
               nanoseconds(clock_.edge_ps(last_cycle_).value_or(UINT64_MAX)).c_str(), last_pc_) +
        column(symbols_.locate(last_pc_), 32) + column(instruction, 32);
    if (has_result(last_))
        line += format("%s=%08x  ", register_name(last_.rd), hart_.reg(last_.rd));
    for (const Access& access : accesses_) {
        line += format("%s%u[%08x]", access.write ? "w" : "r", access.size, access.address);
        if (access.write && last_.code >= riscv::Code::sb && last_.code <= riscv::Code::sw)
            line += format("=%0*x", static_cast<int>(2 * access.size),
                           low_bytes(last_source_, access.size));
        line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    file_.write(line + "\n");
}

void InstructionTrace::finish()
{
    write_last();
    file_.close();
}

} // namespace levee::trace
