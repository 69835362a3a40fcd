// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/loaded_program.hpp"
#include "platform/observe/debug/script_run.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

/// Executes the `monitor` commands, for requests that GDB itself has no commands for.
class Monitor {
public:
    /// `interventions` counts the changes that commands make; they count as the debugger's changes.
    Monitor(const MachineView& machine, ScriptRuns& scripts, LoadedProgram& program,
            Interventions& interventions);

    /// Called when the block of an `until` command has become idle.
    std::function<void()> on_idle;

    /// Executes a command. Returns its output, which is never empty.
    [[nodiscard]] std::string run(const std::string& command);
    /// Returns the block of an `until BLOCK idle` command; nothing if it is already idle, or for
    /// other commands. If it returns a block, the caller must let the run continue until on_idle is
    /// called.
    [[nodiscard]] std::optional<std::string> take_wait();
    void stop_waiting();

private:
    /// Executes a command that reads a register, or that sets or flips bits of a register or of
    /// memory. Returns nothing for other commands.
    std::optional<std::string> poke(std::vector<std::string> words);
    std::string script(const std::string& file);
    std::string blocks() const;
    std::string block(std::size_t index) const;
    std::string descriptors(const std::vector<std::string>& words) const;
    [[nodiscard]] static std::string registers(std::uint32_t base, const RegisterFile& file);
    /// Returns the registers of a peripheral that every system has; nothing if `name` is not one of
    /// these.
    [[nodiscard]] std::optional<std::string> peripheral(const std::string& name) const;
    std::string queue(std::size_t index) const;
    std::string sync() const;
    std::string time() const;
    std::string memory(const std::vector<std::string>& words) const;
    std::string until(const std::vector<std::string>& words);
    [[nodiscard]] std::string unknown(const std::string& word) const;

    const MachineView& machine_;
    ScriptRuns& scripts_;
    LoadedProgram& program_;
    Interventions& interventions_;
    System& system_;
    const SystemPlan& plan_;
    std::optional<std::size_t> waited_;
};

} // namespace levee::debug
