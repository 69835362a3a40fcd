// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/element_type.h"
#include "core/numerics/element_names.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace levee::checks {

/// Records the element types with which memory was written, if they are known.
class TypeShadow {
public:
    struct Part {
        std::uint64_t end = 0;
        levee_type type = LEVEE_TYPE_NONE;
        std::shared_ptr<const std::string> writer; ///< text such as "rsa's GEMM, tag 7, ... (out)"
    };

    /// Sets the type of the bytes [begin, part.end) to `part.type`; NONE: unknown.
    void set(std::uint64_t begin, Part part)
    {
        forget(begin, part.end);
        if (part.type != LEVEE_TYPE_NONE && begin < part.end)
            parts_.emplace(begin, std::move(part));
    }

    void forget(std::uint64_t begin, std::uint64_t end)
    {
        auto at = parts_.lower_bound(begin);
        if (at != parts_.begin() && std::prev(at)->second.end > begin)
            --at;
        while (at != parts_.end() && at->first < end) {
            const std::uint64_t from = at->first;
            const Part old = std::move(at->second);
            at = parts_.erase(at);
            if (from < begin)
                parts_.emplace(from, Part{begin, old.type, old.writer});
            if (old.end > end)
                at = parts_.emplace(end, old).first;
        }
    }

    /// Returns the part that contains the byte at `begin`. If there is none, returns the next part
    /// before `end`, or null.
    [[nodiscard]] const Part* find(std::uint64_t begin, std::uint64_t end) const
    {
        auto at = parts_.upper_bound(begin);
        if (at != parts_.begin() && std::prev(at)->second.end > begin)
            --at;
        return at != parts_.end() && at->first < end ? &at->second : nullptr;
    }

    /// Returns the first part that overlaps [begin, end) and has a type other than `type`; null if
    /// there is none.
    [[nodiscard]] const Part* other(std::uint64_t begin, std::uint64_t end, levee_type type) const
    {
        const Part* part = find(begin, end);
        while (part != nullptr && part->type == type)
            part = part->end < end ? find(part->end, end) : nullptr;
        return part;
    }

private:
    std::map<std::uint64_t, Part> parts_;
};

} // namespace levee::checks
