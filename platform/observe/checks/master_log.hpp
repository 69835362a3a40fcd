// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/queue_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace levee::checks {

/// An access by a master other than the core, in the form of messages.
struct MasterAccess {
    const std::string* master = nullptr; ///< Name of the master on the bus.
    const QueueWatch* watch = nullptr;   ///< null: it executes no descriptors
    bool executes = false;               ///< Whether it executes an operation; otherwise it fetches
                                         ///< the descriptor.
    std::uint8_t opcode = 0, version = 0;
    std::uint32_t tag = 0;
    std::uint32_t field = 0; ///< field of the tensor that it reads; 0: it writes
    QueueWatch::Place doorbell;
    std::uint64_t ps = 0;

    /// "COPY, tag 31", "the fetch of a descriptor"
    [[nodiscard]] std::string operation() const;
    /// "dma's COPY, tag 31" or "hostlink"
    [[nodiscard]] std::string who() const;
    /// "source "; empty unless a tensor is read
    [[nodiscard]] std::string tensor() const;
    /// "; that operation was submitted by f+0x20"; empty if there is none
    [[nodiscard]] std::string origin() const;
};

/// The core's memory, and the latest writes of other masters to it.
class MasterLog {
public:
    /// A run of bytes at the core's addresses, and its offset in the transaction's data.
    struct Run {
        std::uint32_t address;
        std::uint64_t bytes;
        std::uint64_t offset;
    };

    MasterLog(const Context& context, const std::deque<QueueWatch>& queues);

    /// The access that this transaction is; null if it is the core's or moves no data.
    [[nodiscard]] const MasterAccess* access(const bus::Transaction& transaction);
    /// Whether the window maps memory that the core can access.
    [[nodiscard]] bool concerns(const bus::Mapping& window) const;
    /// Visits the runs of a transaction in memory that the core can access.
    template <class Visit>
    void for_each_run(const bus::Transaction& transaction, Visit visit) const;
    /// Records the bytes that the latest access() has written, one run at a time.
    void wrote(const Run& run);
    /// Last recorded access since `ps` that has written one of these bytes; null if there is none.
    [[nodiscard]] const MasterAccess* writer(std::uint32_t address, std::uint64_t bytes,
                                             std::uint64_t ps) const;
    /// Whether an access since `ps` has been forgotten.
    [[nodiscard]] bool forgot(std::uint64_t ps) const { return forgotten_ && *forgotten_ >= ps; }

private:
    struct Window {
        std::uint64_t base;
        std::uint64_t bytes;
        std::uint32_t core_base;
    };
    struct Written {
        Run run;
        MasterAccess by;
    };
    static constexpr std::size_t remembered =
        1024; ///< limit: older writes are reported without their writer

    const Context& context_;
    int core_;
    std::vector<Window> windows_;
    std::vector<const QueueWatch*> watches_; ///< Queue watches by initiator.
    MasterAccess now_;
    bool logged_ = false;                    ///< `now_` is the latest entry of written_
    std::vector<Written> written_;           ///< a ring
    std::size_t next_ = 0;                   ///< Next position in the ring; the oldest entry once
                                             ///< it is full.
    std::optional<std::uint64_t> forgotten_; ///< time of the last access that was forgotten
};

template <class Visit>
void MasterLog::for_each_run(const bus::Transaction& transaction, Visit visit) const
{
    const std::uint64_t mapped_end = transaction.window->base + transaction.window->size;
    for (const Window& window : windows_) {
        const std::uint64_t window_end = window.base + window.bytes;
        if (window.base >= mapped_end || window_end <= transaction.window->base)
            continue;
        AccessPattern pattern;
        pattern.address = transaction.payload->get_address();
        pattern.run_bytes = transaction.payload->get_data_length();
        if (transaction.bulk != nullptr)
            pattern = transaction.bulk->pattern.merged();
        std::uint64_t offset = 0;
        pattern.for_each_run([&](std::uint64_t at) {
            const std::uint64_t first = std::max(at, window.base);
            const std::uint64_t end = std::min(at + pattern.run_bytes, window_end);
            if (first < end)
                visit(Run{window.core_base + static_cast<std::uint32_t>(first - window.base),
                          end - first, offset + (first - at)});
            offset += pattern.run_bytes;
        });
    }
}

} // namespace levee::checks
