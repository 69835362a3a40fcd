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

/// Checks each operation by itself, always. Errors are: results that overlap operands which the
/// component reads while it writes; results over the program's code or the model's image; results
/// in the stack frame of a function that has returned, or beyond the end of the array in which they
/// begin; rows that overlap each other.
class OperationCheck : private bus::BusObserver, private CommandObserver {
public:
    /// All arguments must outlive the simulation; `queues` observe all queues of the system.
    OperationCheck(const Context& context, const std::deque<QueueWatch>& queues,
                   const riscv::ElfImage& program, const ProgramGuard& guard,
                   const ModelGuard& model, Findings& findings);
    OperationCheck(const OperationCheck&) = delete;
    OperationCheck& operator=(const OperationCheck&) = delete;

    /// Another program, with these arrays, runs from now on.
    void follow(const riscv::ElfImage& program);

private:
    struct Block {
        const QueueWatch* watch;
        int initiator;
        std::span<const Apart> apart;
        std::vector<TensorAccess> tensors{}; ///< tensors of the operation in preparation
        bool prepares = false;
    };
    struct Array {
        std::uint64_t begin;
        std::uint64_t end;
        std::string name;
    };
    /// The part of a memory that the core reaches.
    struct Window {
        std::uint64_t base;      ///< Base in the accelerators' address map.
        std::uint64_t core_base; ///< Base in the core's address map.
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
    void check_apart(const Block& block, const Apart& rule) const;
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
    std::vector<Array> arrays_; ///< arrays of the program, by address in the accelerators' map
};

} // namespace levee::checks
