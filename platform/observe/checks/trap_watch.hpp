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

/// Ends a run that makes no progress because it takes the same trap repeatedly: an interrupt that
/// is never acknowledged, or an exception whose handler returns to its cause or causes it again.
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
    /// The source of an interrupt: its name for observers of interrupts and for messages, and its
    /// registers.
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
    unsigned exceptions_ = 0; // Number of identical exceptions in a row.
    Taken taken_;
    unsigned interrupts_ = 0;          // the same
    std::vector<std::uint32_t> state_; // state of their source
    // For each source: the time in picoseconds at which its last request ended, and the sources
    // that have requested again since.
    std::map<std::string, std::uint64_t> ended_;
    std::set<std::string> acknowledged_;
};

/// The cause of an exception in words: "load access fault".
[[nodiscard]] std::string cause_name(riscv::Cause cause);

} // namespace levee::checks
