// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/debug/queue_view.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

/// The `monitor` commands: requests that GDB has no commands for.
class Monitor {
public:
    Monitor(System& system, const SystemPlan& plan);

    /// Called when the block that `until` waits for has become idle.
    std::function<void()> on_idle;

    /// Output of a command; never empty.
    [[nodiscard]] std::string run(const std::string& command);
    /// Block of an `until BLOCK idle` just executed whose block is still busy: the run must
    /// continue until on_idle.
    [[nodiscard]] std::optional<std::string> take_wait();
    void stop_waiting();

private:
    std::string blocks() const;
    std::string block(std::size_t index) const;
    [[nodiscard]] static std::string registers(std::uint32_t base, const RegisterFile& file);
    /// Registers of a peripheral that every system has; nothing if `name` is none of them.
    [[nodiscard]] std::optional<std::string> peripheral(const std::string& name) const;
    std::string queue(std::size_t index) const;
    std::string sync() const;
    std::string time() const;
    std::string memory(const std::vector<std::string>& words) const;
    std::string until(const std::vector<std::string>& words);
    [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
    [[nodiscard]] std::optional<std::uint32_t> counter(std::uint32_t index) const;
    [[nodiscard]] std::string unknown(const std::string& word) const;

    System& system_;
    const SystemPlan& plan_;
    std::vector<std::unique_ptr<QueueView>> queues_; // by component; null without a queue
    std::optional<std::size_t> waited_;
};

} // namespace levee::debug
