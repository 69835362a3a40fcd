// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/cache_watch.hpp"
#include "platform/observe/checks/master_log.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace levee::checks {

/// Reports, always, mistakes of the core with memory that other masters write: executing code that
/// they or its own stores have written without fence.i, and stale lines of a data cache that
/// software must keep coherent.
class MasterWatch : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation; `queues` observe all queues of the system.
    MasterWatch(const Context& context, const std::deque<QueueWatch>& queues, Findings& findings);
    ~MasterWatch();
    MasterWatch(const MasterWatch&) = delete;
    MasterWatch& operator=(const MasterWatch&) = delete;

private:
    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping& window) const override;
    void on_stale_fetch(std::uint32_t pc);

    const Context& context_;
    Findings& findings_;
    MasterLog log_;
    std::optional<CacheWatch>
        cache_;                     ///< watch of a data cache that hardware does not keep coherent
    std::set<std::uint32_t> stale_; ///< places in the program, reported
    /// Masters and times of writes, reported.
    std::set<std::pair<const std::string*, std::uint64_t>> stale_writes_;
};

} // namespace levee::checks
