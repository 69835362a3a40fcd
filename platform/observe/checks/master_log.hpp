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

/// An access by a master other than the core, with all facts that messages mention.
struct MasterAccess {
    const std::string* master = nullptr;
    const QueueWatch* watch = nullptr; ///< null: the master executes no descriptors
    bool executes = false;             ///< true: the access is part of an operation; false: it
                                       ///< fetches a descriptor
    std::uint8_t opcode = 0, version = 0;
    std::uint32_t tag = 0;
    std::uint32_t field = 0; ///< for a read, the descriptor's field with the tensor's address; 0
                             ///< for a write
    QueueWatch::Place doorbell;
    std::uint64_t ps = 0;

    /// Returns a text such as "COPY, tag 31" or "the fetch of a descriptor".
    [[nodiscard]] std::string operation() const;
    /// Returns a text such as "dma's COPY, tag 31" or "hostlink".
    [[nodiscard]] std::string who() const;
    /// Returns a text such as "source "; empty unless the access reads a tensor.
    [[nodiscard]] std::string tensor() const;
    /// Returns a text such as "; that operation was submitted by f+0x20"; empty if it is no
    /// operation.
    [[nodiscard]] std::string origin() const;
};

/// Records the latest writes of other masters to memory that the core can access.
class MasterLog {
public:
    /// Consecutive bytes at addresses of the core, and their offset in the transaction's data.
    struct Run {
        std::uint32_t address;
        std::uint64_t bytes;
        std::uint64_t offset;
    };

    MasterLog(const Context& context, const std::deque<QueueWatch>& queues);

    /// Describes the access of a transaction. Returns null if the core made the access, or if it
    /// moves no data. The result is valid until the next call.
    [[nodiscard]] const MasterAccess* access(const bus::Transaction& transaction);
    /// Returns whether the window maps memory that the core can access.
    [[nodiscard]] bool concerns(const bus::Mapping& window) const;
    /// Calls `visit` for each run of a transaction's bytes in memory that the core can access.
    template <class Visit>
    void for_each_run(const bus::Transaction& transaction, Visit visit) const;
    /// Records bytes that the latest access() has written. Called for each run.
    void wrote(const Run& run);
    /// Returns the latest recorded access that has written one of these bytes at or after `ps`;
    /// null if there is none.
    [[nodiscard]] const MasterAccess* writer(std::uint32_t address, std::uint64_t bytes,
                                             std::uint64_t ps) const;
    /// Returns whether accesses at or after `ps` may have been dropped from the record.
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
        1024; ///< maximum number of recorded writes; reports of older writes do not name the writer

    const Context& context_;
    int core_;
    std::vector<Window> windows_;
    std::vector<const QueueWatch*> watches_; ///< by index of the bus's initiator
    MasterAccess now_;
    bool logged_ = false;                    ///< whether `now_` is the latest entry of written_
    std::vector<Written> written_;           ///< a ring buffer of the latest writes
    std::size_t next_ = 0;                   ///< index of the next entry, which is the oldest once
                                             ///< the ring is full
    std::optional<std::uint64_t> forgotten_; ///< time of the last access that is no longer recorded
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
