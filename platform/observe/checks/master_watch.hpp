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

/// Reports the core's errors with memory that other masters write; always on. After other masters
/// or the core's own stores have written code, the core must not execute it without a fence.i. The
/// core must not use stale lines of a data cache that software keeps coherent.
class MasterWatch : private bus::BusObserver {
public:
    /// All arguments must outlive the simulation. `queues` must observe all queues of the system.
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
    std::optional<CacheWatch> cache_; ///< null if there is no data cache or if hardware keeps it
                                      ///< coherent
    std::set<std::uint32_t> stale_;   ///< instructions already reported
    /// Masters whose writes were already reported, each with the time of the write.
    std::set<std::pair<const std::string*, std::uint64_t>> stale_writes_;
};

} // namespace levee::checks
