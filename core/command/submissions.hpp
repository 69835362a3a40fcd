// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "core/command/operation.hpp"
#include "core/command/register_file.hpp"

#include <systemc>

#include <cstdint>
#include <deque>
#include <functional>

namespace levee {

/// Firmware's interface to a command queue: the registers that submit descriptors and report
/// completions, errors and resets; the waiting descriptors; and the interrupt.
class Submissions {
public:
    struct Config {
        std::uint32_t number = 0; ///< Number of the component's type.
        std::uint32_t depth = 0;  ///< Number of descriptors that can wait while another one runs.
        Picoseconds fetch = 0;    ///< Time to fetch one descriptor.
    };
    struct Pending {
        std::uint64_t id;      ///< Number of earlier submissions.
        std::uint64_t address; ///< Address of the descriptor.
        Picoseconds fetched_at;
    };
    /// Thrown by a wait that a reset has ended.
    struct Dropped {};

    /// Adds its registers. `on_interrupt` is called when the interrupt's level changes.
    Submissions(const Config& config, RegisterFile& registers, const CommandObservers& observers,
                const std::function<void(bool)>& on_interrupt);

    /// Waits for the next descriptor and returns it. It stays the current one until the next call.
    [[nodiscard]] Pending take();
    [[nodiscard]] const std::deque<Pending>& waiting() const { return pending_; }
    /// Call when the current descriptor has completed.
    void done(bool interrupts);
    /// Call when an error of the current descriptor stops the queue.
    void stop(const CommandFault& fault, std::uint32_t tag);

    /// Waits for `event`. A reset also notifies it, so callers must test their condition again.
    void pause(sc_core::sc_event& event);
    /// Whether a reset has occurred since the current descriptor was taken.
    [[nodiscard]] bool was_reset() const { return epoch_ != running_epoch_; }
    /// Throws Dropped if a reset has occurred.
    void need_no_reset() const;
    /// Like pause(), but throws Dropped if a reset has occurred.
    void wait(sc_core::sc_event& event);

private:
    void describe(RegisterFile& registers);
    void describe_interrupts(RegisterFile& registers);
    void describe_errors(RegisterFile& registers);
    void submit(std::uint32_t count);
    void control(std::uint32_t value);
    void record(const CommandFault& fault, std::uint32_t index, std::uint32_t tag);
    void raise(std::uint32_t bits);
    void update_interrupt();
    [[nodiscard]] std::uint32_t status() const;
    [[nodiscard]] std::uint32_t room() const;

    Config config_;
    const CommandObservers& observers_;
    const std::function<void(bool)>& on_interrupt_;

    std::uint64_t submissions_ = 0;
    std::deque<Pending> pending_;
    std::uint32_t epoch_ = 0;         // Number of resets so far.
    std::uint32_t running_epoch_ = 0; // Epoch when the current descriptor was taken.
    Picoseconds fetcher_free_at_ = 0;
    sc_core::sc_event submitted_;
    sc_core::sc_event* awaited_ = nullptr;
    bool busy_ = false;

    std::uint64_t address_ = 0;
    std::uint32_t taken_ = 0;
    std::uint32_t done_ = 0;
    std::uint32_t irq_status_ = 0;
    std::uint32_t irq_enable_ = 0;
    bool interrupt_ = false;
    CommandFault error_{LEVEE_ERROR_NONE, 0};
    std::uint32_t error_index_ = 0;
    std::uint32_t error_tag_ = 0;
};

} // namespace levee
