// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/hart.hpp"
#include "platform/observe/trace/symbols.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace levee::trace {

/// Receives every change of the innermost function, in order of time. Times are in cycles of the
/// hart.
class CallListener {
public:
    virtual ~CallListener() = default;
    /// `function` stays valid until the tracker is destroyed.
    virtual void enter(const Function& function, std::uint64_t cycle) = 0;
    virtual void leave(std::uint64_t cycle) = 0;
};

/// Shadow call stack, derived from the instructions that a hart executes. The link
/// registers of the calling convention show calls and returns. A change of the pc without a
/// jump is a trap. A tail call, or a function that runs into the next one, changes the
/// symbol that contains the pc. Sleep in wfi counts as a function that the function with
/// the wfi calls.
class CallTracker : public riscv::Observer {
public:
    /// All arguments must outlive the tracker.
    CallTracker(const riscv::Hart& hart, const Symbols& symbols, CallListener& listener);

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
    const riscv::CodeRange* straight() const override { return &innermost_; }
    /// Called when the symbols now belong to another program, which starts. Leaves all functions of
    /// the previous program.
    void program_changed();
    /// Ends the run: leaves every function on the stack.
    void finish(std::uint64_t cycle);

    [[nodiscard]] const Function& sleep() const { return sleep_; }

private:
    struct Frame {
        const Function* function;
        std::uint32_t return_address;
        bool trap;
    };

    [[nodiscard]] const Function& function_at(std::uint32_t pc);
    [[nodiscard]] bool is_innermost(std::uint32_t pc) const
    {
        return pc >= innermost_.begin && pc < innermost_.end;
    }
    void follow(std::uint32_t pc, std::uint64_t cycle);
    void settle(std::uint32_t pc, std::uint64_t cycle);
    void jump(std::uint32_t pc, std::uint32_t target);
    void trapped(std::uint32_t handler, std::uint64_t cycle);
    void returned(std::uint32_t pc, std::uint64_t cycle);
    void left_trap(std::uint64_t cycle);
    void push(std::uint32_t pc, std::uint32_t return_address, bool trap, std::uint64_t cycle);
    void pop_to(std::size_t depth, std::uint64_t cycle);
    void woke(std::uint64_t cycle);

    const riscv::Hart& hart_;
    const Symbols& symbols_;
    CallListener& listener_;
    const Function sleep_{"[waiting for an interrupt]", 0, 0};
    std::vector<Frame> frames_;

    riscv::CodeRange innermost_; // the innermost frame's function; empty if there is no frame
    struct Called {
        std::uint32_t pc = 1; // an odd number, which no instruction has as its address
        const Function* function = nullptr;
    };
    std::array<Called, 256> called_{};
    bool began_ = false;
    riscv::Op last_;
    std::uint64_t breaks_ = 0;
    std::uint64_t last_cycle_ = 0;
    std::uint32_t handler_ = 0;
};

} // namespace levee::trace
