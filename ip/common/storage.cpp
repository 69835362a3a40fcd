#include "ip/common/storage.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace levee {

Storage::Storage(std::uint64_t bytes) : size_(bytes)
{
    void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        throw std::runtime_error("cannot reserve " + std::to_string(bytes) +
                                 " bytes of address space for a memory: " + std::strerror(errno));
    data_ = static_cast<std::uint8_t*>(mapping);
}

Storage::~Storage()
{
    munmap(data_, size_);
}

bool Storage::holds(const AccessPattern& pattern) const
{
    const auto extent = pattern.extent();
    return extent && extent->last < size_;
}

void Storage::read(const AccessPattern& pattern, std::uint8_t* packed) const
{
    pattern.for_each_run([&](std::uint64_t address) {
        std::memcpy(packed, data_ + address, pattern.run_bytes);
        packed += pattern.run_bytes;
    });
}

void Storage::write(const AccessPattern& pattern, const std::uint8_t* packed)
{
    pattern.for_each_run([&](std::uint64_t address) {
        std::memcpy(data_ + address, packed, pattern.run_bytes);
        packed += pattern.run_bytes;
    });
}

} // namespace levee
