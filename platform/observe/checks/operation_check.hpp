// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/model_guard.hpp"
#include "platform/observe/checks/operands.hpp"
#include "platform/observe/checks/program_guard.hpp"
#include "platform/observe/checks/queue_watch.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::checks {

/// Checks each operation on its own; always on. Errors are:
/// - a result that overlaps an operand, if the component still reads the operand while it writes;
/// - a result over the program's code or the model's image;
/// - a tensor in the stack frame of a function that has returned;
/// - a tensor that extends beyond the array in which it begins;
/// - rows that overlap each other.
class OperationCheck : private bus::BusObserver, private CommandObserver {
public:
    /// All arguments must outlive the simulation. `queues` must observe all queues of the system.
    OperationCheck(const Context& context, const std::deque<QueueWatch>& queues,
                   const ElfImage& program, const ProgramGuard& guard, const ModelGuard& model,
                   Findings& findings);
    OperationCheck(const OperationCheck&) = delete;
    OperationCheck& operator=(const OperationCheck&) = delete;

    /// Called when another program runs from now on. Its arrays replace the previous ones.
    void follow(const ElfImage& program);

private:
    struct Block {
        const QueueWatch* watch;
        int initiator;
        std::span<const Apart> apart;
        std::vector<TensorAccess> tensors{};
        bool prepares = false;
    };
    struct Array {
        std::uint64_t begin;
        std::uint64_t end;
        std::string name;
    };
    /// The part of a memory that the core can access.
    struct Window {
        std::uint64_t base;      ///< address as the accelerators see it
        std::uint64_t core_base; ///< address as the core sees it
        std::uint64_t size;
    };

    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    void fetched(const CommandQueue& queue, const levee_descriptor&) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor, const Activity&,
                 bool) override;
    void finished(const CommandQueue& queue, std::uint32_t, bool) override;

    void list_windows();
    [[nodiscard]] Block& block(const CommandQueue& queue);
    void check_apart(const Block& block, const Apart& rule);
    void check_program(const Block& block, const TensorAccess& tensor) const;
    void check_rows(const Block& block, const TensorAccess& tensor) const;
    void check_array(const Block& block, const TensorAccess& tensor) const;
    [[nodiscard]] std::string text(const Block& block, const TensorAccess& tensor) const;
    void report(const Block& block, const std::string& text) const;

    const Context& context_;
    const ProgramGuard& guard_;
    const ModelGuard& model_;
    Findings& findings_;
    std::vector<Block> blocks_;
    std::vector<Window> windows_;
    std::vector<Array> arrays_;
    bool has_warned_ = false; ///< the warning about incomplete comparison was given
};

} // namespace levee::checks
