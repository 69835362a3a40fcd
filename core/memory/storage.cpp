// SPDX-License-Identifier: Apache-2.0
#include "core/memory/storage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace levee {

namespace {

constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);

} // namespace

Storage::Storage(std::uint64_t bytes) : size_(bytes)
{
    if (bytes == 0)
        return;
    void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        throw std::runtime_error("cannot reserve " + std::to_string(bytes) +
                                 " bytes of address space for a memory: " + std::strerror(errno));
    data_ = static_cast<std::uint8_t*>(mapping);
}

Storage::~Storage()
{
    if (data_ != nullptr)
        munmap(data_, size_);
}

bool Storage::holds(const AccessPattern& pattern) const
{
    const auto extent = pattern.extent();
    return extent && extent->last < size_;
}

void Storage::load(std::uint64_t offset, std::span<const std::uint8_t> bytes,
                   const std::string& owner)
{
    if (!holds(offset, bytes.size()))
        throw std::out_of_range(owner + ": " + std::to_string(bytes.size()) + " bytes at offset " +
                                std::to_string(offset) + " do not fit in " + std::to_string(size_));
    std::copy(bytes.begin(), bytes.end(), data_ + offset);
}

void Storage::read(const AccessPattern& pattern, std::uint8_t* packed) const
{
    gather(data_, pattern, packed);
}

void Storage::write(const AccessPattern& pattern, const std::uint8_t* packed)
{
    scatter(data_, pattern, packed);
}

// Tables consist of many runs of one word, for which a copy of constant size is faster.
void gather(const std::uint8_t* origin, const AccessPattern& pattern, std::uint8_t* packed)
{
    if (pattern.run_bytes == word_bytes)
        pattern.for_each_run([&](std::uint64_t address) {
            std::memcpy(packed, origin + address, word_bytes);
            packed += word_bytes;
        });
    else
        pattern.for_each_run([&](std::uint64_t address) {
            std::memcpy(packed, origin + address, pattern.run_bytes);
            packed += pattern.run_bytes;
        });
}

void scatter(std::uint8_t* origin, const AccessPattern& pattern, const std::uint8_t* packed)
{
    if (pattern.run_bytes == word_bytes)
        pattern.for_each_run([&](std::uint64_t address) {
            std::memcpy(origin + address, packed, word_bytes);
            packed += word_bytes;
        });
    else
        pattern.for_each_run([&](std::uint64_t address) {
            std::memcpy(origin + address, packed, pattern.run_bytes);
            packed += pattern.run_bytes;
        });
}

} // namespace levee
