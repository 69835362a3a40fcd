// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/clock.hpp"
#include "ip/riscv/hart.hpp"
#include "platform/observe/trace/symbols.hpp"
#include "platform/observe/trace/text_file.hpp"
#include "platform/observe/trace/trace_window.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::trace {

/// Instruction trace with one line per instruction: time in ns, pc, symbol, instruction, written
/// register, and memory accesses.
class InstructionTrace : public riscv::Observer {
public:
    /// The trace contains the instructions that start in the window (null: all). All arguments
    /// except `path` must outlive this object. Throws std::runtime_error if the file cannot be
    /// created.
    InstructionTrace(const riscv::Hart& hart, const riscv::Clock& clock, const Symbols& symbols,
                     const std::filesystem::path& path, const Window* window = nullptr);

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override;
    /// Ends the trace. Throws std::runtime_error if the file could not be written completely.
    void finish();

private:
    struct Access {
        std::uint32_t address;
        std::uint32_t size;
        bool write;
    };
    void write_last();

    const riscv::Hart& hart_;
    const riscv::Clock& clock_;
    const Symbols& symbols_;
    TextFile file_;
    const Window* window_;

    bool began_ = false;
    riscv::Op last_;
    std::uint32_t last_pc_ = 0;
    std::uint64_t last_cycle_ = 0;
    std::uint32_t last_source_ = 0;
    std::vector<Access> accesses_;
};

/// Returns picoseconds as nanoseconds with three decimals: "12.345".
[[nodiscard]] std::string nanoseconds(std::uint64_t ps);

} // namespace levee::trace
