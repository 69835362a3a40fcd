// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/observe/bounds/time_book.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace levee::bounds {

/// Something that a phase may be bound by, beside a block's own pace.
struct Resource {
    std::string name;  ///< "dram", "link_dram", "stream_scores"
    std::string cause; ///< of a block's time: "memory_dram", and as its name
    bool is_memory;
    std::uint64_t peak; ///< of a memory: bytes per second
    TimeBook::Row bytes;
    TimeBook::Row binds; ///< time in which it bounded some block
};

/// The resources of a system: its memories, then links and stream ports as they are met.
class Resources {
public:
    static constexpr std::size_t none = SIZE_MAX; ///< a block's own

    /// `book` outlives this.
    Resources(const SystemPlan& plan, TimeBook& book);

    [[nodiscard]] const std::vector<Resource>& all() const { return resources_; }
    /// Index in all(), or none.
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
    std::array<Slot, 64> slots_; ///< of known_, by address
};

} // namespace levee::bounds
