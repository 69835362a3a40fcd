// SPDX-License-Identifier: Apache-2.0
#include "core/memory/written_pages.hpp"

#include "core/memory/storage.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace levee {

namespace {

constexpr std::uint64_t in_memory = 3ull << 62; // The page is present or swapped (proc(5),
                                                // pagemap).
constexpr std::size_t words_at_once = 4096;

} // namespace

void visit_written_pages(
    Storage& storage,
    const std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)>& visit)
{
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t pages = (storage.size() + page - 1) / page;
    const std::uint64_t first = reinterpret_cast<std::uintptr_t>(storage.data()) / page;
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    std::vector<std::uint64_t> words(words_at_once);
    for (std::uint64_t begin = 0; begin < pages; begin += words_at_once) {
        const std::size_t wanted = std::min<std::uint64_t>(words_at_once, pages - begin);
        const auto got = map < 0 ? -1
                                 : pread(map, words.data(), wanted * sizeof words[0],
                                         static_cast<off_t>((first + begin) * sizeof words[0]));
        if (got != static_cast<ssize_t>(wanted * sizeof words[0]))
            std::fill(words.begin(), words.end(), in_memory); // The host does not provide this
                                                              // information.
        for (std::size_t i = 0; i < wanted; ++i) {
            const std::uint64_t offset = (begin + i) * page;
            if ((words[i] & in_memory) != 0)
                visit(offset, {storage.data() + offset,
                               static_cast<std::size_t>(std::min(page, storage.size() - offset))});
        }
    }
    if (map >= 0)
        close(map);
}

} // namespace levee
