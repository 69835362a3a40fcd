// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/bottlenecks/time_book.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::bottlenecks {

/// A resource that can limit a block: a memory, a link or a stream port.
struct Resource {
    std::string name;          ///< such as "dram", "link_dram" or "stream_scores"
    std::string cause;         ///< name of the cause of a block's time, such as "memory_dram"
    std::string refresh_cause; ///< cause of the time lost to refresh, such as "refresh_dram"
    bool is_memory;
    std::uint64_t peak; ///< peak of a memory, in bytes per second
    TimeBook::Row bytes;
    TimeBook::Row binds; ///< time in which the resource limits at least one block
};

/// A system's resources: first the memories, then links and stream ports in the order of their
/// first use.
class Resources {
public:
    static constexpr std::size_t none = SIZE_MAX; ///< index for a block's own pace

    /// `book` must outlive this object.
    Resources(const SystemPlan& plan, TimeBook& book);

    [[nodiscard]] const std::vector<Resource>& all() const { return resources_; }
    /// Returns the resource's index in all(), or `none` if the resource is not counted.
    [[nodiscard]] std::size_t index_of(const FlowResource& resource)
    {
        Slot& slot = slots_[reinterpret_cast<std::uintptr_t>(&resource) / 64 % slots_.size()];
        if (slot.resource != &resource)
            slot = {&resource, find(resource)};
        return slot.index;
    }

private:
    struct Slot {
        const FlowResource* resource = nullptr;
        std::size_t index = none;
    };
    [[nodiscard]] std::size_t find(const FlowResource& resource);
    [[nodiscard]] std::size_t make(const FlowAccount& account);

    TimeBook& book_;
    std::vector<Resource> resources_;
    std::vector<Slot> known_;
    std::array<Slot, 64> slots_; ///< recent look-ups in known_
};

} // namespace levee::bottlenecks
