// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/semihost/first_sizes.hpp"

#include <algorithm>
#include <functional>
#include <sys/mman.h>

namespace levee::semihost {

namespace {

constexpr std::size_t most_files = 256; ///< beyond this number, appended data are not removed

} // namespace

FirstSizes::FirstSizes()
{
    void* const memory = mmap(nullptr, most_files * sizeof(Entry), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        shared_ = {static_cast<Entry*>(memory), most_files};
}

FirstSizes::~FirstSizes()
{
    if (!shared_.empty())
        munmap(shared_.data(), shared_.size_bytes());
}

std::uint64_t FirstSizes::open(const std::string& name, std::uint64_t bytes)
{
    if (!opened_.insert(name).second)
        return bytes;
    const std::uint64_t hash = std::hash<std::string>()(name) | 1;
    const auto entry = std::find_if(shared_.begin(), shared_.end(), [hash](const Entry& each) {
        return each.hash == hash || each.hash == 0;
    });
    if (entry == shared_.end())
        return bytes;
    if (entry->hash == 0)
        *entry = {hash, bytes};
    return std::min(bytes, entry->bytes);
}

} // namespace levee::semihost
