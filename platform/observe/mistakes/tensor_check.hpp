// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/intervals.hpp"
#include "platform/observe/mistakes/names.hpp"
#include "platform/observe/mistakes/shadow.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::mistakes {

/// Checks the tensors of all operations by their blocks' bus accesses: for overlap with operations
/// that run concurrently, and for reads of memory never written.
class TensorCheck : private bus::BusObserver, private CommandObserver, private riscv::Observer {
public:
    TensorCheck(const Context& context, bool overlap, bool uninitialised);
    TensorCheck(const TensorCheck&) = delete;
    TensorCheck& operator=(const TensorCheck&) = delete;

    [[nodiscard]] unsigned found() const { return found_; }

private:
    /// A tensor, or the part of it that is checked.
    struct Tensor {
        std::uint32_t field;
        Intervals bytes; ///< by key()
        bool exact;      ///< write: from its rows, not from the stream that represents them
    };
    /// The operation that a block is executing.
    struct Running {
        const CommandQueue* queue = nullptr;
        int initiator = -1;
        const std::string* name = nullptr;          ///< the component's
        std::optional<levee_descriptor> descriptor; ///< present from its fetch to its end
        bool started = false;
        std::vector<Tensor> reads;
        std::vector<Tensor> writes;          ///< announced, not yet performed
        std::vector<std::uint32_t> reported; ///< fields of this operation already reported
    };

    /// Canonical address in memory, independent of the window: the target's number and its address
    /// there.
    [[nodiscard]] static std::uint64_t key(const bus::Mapping& window, std::uint64_t address);
    [[nodiscard]] std::optional<std::uint64_t> key(std::uint64_t address) const;
    /// The address in the accelerators' map.
    [[nodiscard]] std::uint64_t address_of(std::uint64_t key) const;

    void passed(const bus::Transaction& transaction) override;
    void debug_wrote(std::uint64_t address, std::uint64_t bytes) override;
    void submitted(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
    void taken(const CommandQueue&, std::uint64_t, std::uint32_t) override {}
    void fetched(const CommandQueue& queue, const levee_descriptor& descriptor) override;
    void started(const CommandQueue& queue, const levee_descriptor& descriptor, const Activity&,
                 bool streams) override;
    void finished(const CommandQueue& queue, std::uint32_t error, bool dropped) override;
    void emptied(const CommandQueue&) override {}
    bool before_instruction(std::uint32_t, std::uint64_t) override { return true; }
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override;

    [[nodiscard]] Running& running(const CommandQueue& queue);
    void on_read(Running& reader, const AccessPattern& pattern);
    void on_announced_write(Running& writer, const AccessPattern& pattern, bool exact);
    void on_write(Running& writer, const AccessPattern& pattern);
    void check_written(Running& reader, const AccessPattern& pattern);
    void check_overlap(Running& one, const Tensor& tensor, const char* does,
                       const std::vector<Tensor> Running::*theirs, const char* do_they);
    [[nodiscard]] static std::string name(const Running& running);
    [[nodiscard]] static std::string field(const Running& running, std::uint32_t offset);
    void report(Running& running, std::uint32_t field, const std::string& text);

    const Context& context_;
    const bool overlap_;
    const bool uninitialised_;
    std::vector<Running> blocks_;
    Shadow written_;
    unsigned found_ = 0;
};

} // namespace levee::mistakes
