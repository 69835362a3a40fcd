// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/intervals.hpp"
#include "platform/observe/checks/ordering.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace levee::checks {

/// Records the core's last load and last store of each byte.
class CoreShadow {
public:
    struct Touch {
        std::uint64_t key = 0;
        std::uint32_t pc = 0;
        bool write = false;
    };

    /// `stamp` is the core's stamp at the time of the access. A store is `silent` if it did not
    /// change the value.
    void mark(std::uint64_t key, std::uint32_t size, bool write, std::uint32_t pc,
              std::uint64_t stamp, bool silent)
    {
        for (std::uint64_t at = key; at < key + size; ++at) {
            Page& page = page_of(at);
            (write ? page.writes : page.reads)[at % page_bytes] = {
                static_cast<std::uint32_t>(stamp + 1), pc, silent};
            page.newest = stamp + 1;
        }
    }

    /// Finds an access to one of these bytes that is not in `known`: a store or, with `reads`, a
    /// load. Silent stores do not count in a single word, such as a position or count. They leave
    /// its value unchanged, so readers get the right value in any order.
    [[nodiscard]] std::optional<Touch> unknown(const Intervals& bytes, const VectorClock& known,
                                               bool reads) const
    {
        const bool is_word = bytes.is_word();
        for (const Interval& part : bytes.parts())
            for (std::uint64_t at = part.begin; at < part.end;
                 at = (at / page_bytes + 1) * page_bytes) {
                const auto page = pages_.find(at / page_bytes);
                if (page == pages_.end() ||
                    known.knows(Ordering::core_party, page->second->newest - 1))
                    continue;
                const std::uint64_t end = std::min(part.end, (at / page_bytes + 1) * page_bytes);
                if (const auto found = in_page(*page->second, at, end, known, reads, is_word))
                    return found;
            }
        return std::nullopt;
    }

private:
    static constexpr std::uint64_t page_bytes = 4096;
    struct Access {
        std::uint32_t stamp = 0; ///< the access's stamp + 1; 0: no access
        std::uint32_t pc = 0;
        bool silent = false;
    };
    struct Page {
        std::uint64_t newest = 1;
        std::array<Access, page_bytes> writes{};
        std::array<Access, page_bytes> reads{};
    };

    static std::optional<Touch> in_page(const Page& page, std::uint64_t at, std::uint64_t end,
                                        const VectorClock& known, bool reads, bool is_word)
    {
        const auto is_unknown = [&](const Access& access) {
            return access.stamp != 0 && !known.knows(Ordering::core_party, access.stamp - 1);
        };
        for (; at < end; ++at) {
            const Access& write = page.writes[at % page_bytes];
            const Access& read = page.reads[at % page_bytes];
            if (is_unknown(write) && !(is_word && write.silent))
                return Touch{at, write.pc, true};
            if (reads && is_unknown(read))
                return Touch{at, read.pc, false};
        }
        return std::nullopt;
    }

    Page& page_of(std::uint64_t key)
    {
        const std::uint64_t number = key / page_bytes;
        if (last_ == nullptr || number != last_number_) {
            std::unique_ptr<Page>& found = pages_[number];
            if (!found)
                found = std::make_unique<Page>();
            last_ = found.get();
            last_number_ = number;
        }
        return *last_;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    Page* last_ = nullptr;
    std::uint64_t last_number_ = 0;
};

} // namespace levee::checks
