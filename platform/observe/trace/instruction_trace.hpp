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

/// Instruction trace, one line each: time in ns, pc, symbol, instruction, register written,
/// accesses.
class InstructionTrace : public riscv::Observer {
public:
    /// Throws std::runtime_error if the file cannot be created. The other arguments must outlive
    /// the trace, which has the instructions that begin in the window (null: all).
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
    riscv::Op last_; // the instruction whose line is not written yet
    std::uint32_t last_pc_ = 0;
    std::uint64_t last_cycle_ = 0;
    std::uint32_t last_source_ = 0; // value to store, if it is a store
    std::vector<Access> accesses_;
};

/// Picoseconds as nanoseconds with three decimals: "12.345".
[[nodiscard]] std::string nanoseconds(std::uint64_t ps);

} // namespace levee::trace
