// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace levee::checks {

/// Ends a run that takes the same trap again and again without progress. The trap is an interrupt
/// that is never acknowledged, or an exception whose handler returns to the same instruction, or
/// fails in the same way itself.
class TrapWatch {
public:
    TrapWatch(const Context& context, std::function<void(const std::string&)> fail);
    TrapWatch(const TrapWatch&) = delete;
    TrapWatch& operator=(const TrapWatch&) = delete;

    void on_interrupt(riscv::Interrupt interrupt, std::uint32_t pc);
    void on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc);

private:
    struct Exception {
        riscv::Cause cause{};
        std::uint32_t value = 0;
        std::uint32_t pc = 0;
        std::array<std::uint32_t, 32> registers{};
        bool operator==(const Exception&) const = default;
    };
    struct Taken {
        riscv::Interrupt interrupt{};
        std::uint32_t pc = 0;
        bool operator==(const Taken&) const = default;
    };
    /// The source of an interrupt: its name in calls of interrupt observers, its name in messages,
    /// and its registers.
    struct Source {
        std::string name, title;
        const RegisterFile* registers = nullptr;
    };

    void requested(const std::string& source, riscv::Plic::Request request);
    [[nodiscard]] Source source(riscv::Interrupt interrupt) const;
    [[nodiscard]] static std::vector<std::uint32_t> state(const Source& source);
    [[nodiscard]] std::string reason(const Source& source) const;
    [[nodiscard]] std::string handler() const;

    const Context& context_;
    const std::function<void(const std::string&)> fail_;
    Exception exception_;
    unsigned exceptions_ = 0;
    Taken taken_;
    unsigned interrupts_ = 0;
    std::vector<std::uint32_t> state_;
    // The time in picoseconds at which each source's last request ended, and the sources that have
    // been acknowledged.
    std::map<std::string, std::uint64_t> ended_;
    std::set<std::string> acknowledged_;
};

/// Returns the cause of an exception as text, such as "load access fault".
[[nodiscard]] std::string cause_name(riscv::Cause cause);

} // namespace levee::checks
