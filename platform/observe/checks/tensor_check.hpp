// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/core_check.hpp"
#include "platform/observe/checks/queue_watch.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace levee::checks {

/// Checks the tensors of all operations, which it derives from the blocks' bus accesses. Errors
/// are:
/// - accesses to the same bytes as those of other operations or of the core, without an order;
/// - reads of memory that was never written;
/// - operands that were written with another type.
class TensorCheck : private bus::BusObserver, private CommandObserver {
public:
    /// `queues` must observe all queues of the system.
    TensorCheck(const Context& context, AccessChecks checks, const ElfImage& program,
                const std::deque<QueueWatch>& queues, Findings& findings);
    TensorCheck(const TensorCheck&) = delete;
    TensorCheck& operator=(const TensorCheck&) = delete;

    void program_changed() { arrays_.forget(); }
    void ended() { arrays_.report(findings_); }
    void interrupted() { ordering_.interrupted(); }

private:
    struct Block {
        const QueueWatch* watch;
        const CommandQueue* queue;
        int initiator;
        LoggedOperation* now = nullptr; ///< the block's operation, from its fetch to its end
    };

    void passed(const bus::Transaction& transaction) override;
    void debug_wrote(std::uint64_t address, std::uint64_t bytes) override;
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;

    [[nodiscard]] Block& block(const CommandQueue& queue);
    void on_read(LoggedOperation& reader, const AccessPattern& pattern);
    void on_announced_write(LoggedOperation& writer, const AccessPattern& pattern, bool exact);
    void on_write(LoggedOperation& writer, const AccessPattern& pattern);
    void follow_stream(LoggedOperation& consumer);
    void check_written(LoggedOperation& reader, const AccessPattern& pattern);
    void check_overlap(LoggedOperation& one, const Tensor& tensor, bool writes);
    [[nodiscard]] bool check_operations(LoggedOperation& one, const Tensor& tensor, bool writes);
    void check_core(LoggedOperation& one, const Tensor& tensor, bool writes);
    void report(LoggedOperation& operation, std::uint32_t field, const std::string& text);

    const AccessChecks checks_;
    Findings& findings_;
    MemoryKeys keys_;
    Ordering ordering_;
    OperationLog log_;
    Shadow written_;
    ArrayUse arrays_;
    TypeCheck types_;
    CoreCheck core_;
    std::vector<Block> blocks_;
};

} // namespace levee::checks
