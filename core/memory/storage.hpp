// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace levee {

/// Copies the runs of `pattern` to `packed`, which has pattern.bytes(). `origin` is the host
/// address of the memory's address 0.
void gather(const std::uint8_t* origin, const AccessPattern& pattern, std::uint8_t* packed);
/// Copies `packed` to the runs of `pattern`.
void scatter(std::uint8_t* origin, const AccessPattern& pattern, const std::uint8_t* packed);

/// Storage of a memory. Host memory is allocated page by page at the first write; unwritten bytes
/// read as 0.
class Storage {
public:
    /// Throws std::runtime_error if the host cannot reserve `bytes`.
    explicit Storage(std::uint64_t bytes);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint8_t* data() { return data_; }

    /// Whether [address, address + bytes) is inside.
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const
    {
        return bytes <= size_ && address <= size_ - bytes;
    }
    /// Whether every run of `pattern` is inside.
    [[nodiscard]] bool holds(const AccessPattern& pattern) const;

    /// Stores `bytes` at `offset`. Throws std::out_of_range with the owner's name if they do not
    /// fit.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes, const std::string& owner);

    /// Copy the runs of `pattern`, which must be inside, to or from `packed`, which has
    /// pattern.bytes().
    void read(const AccessPattern& pattern, std::uint8_t* packed) const;
    void write(const AccessPattern& pattern, const std::uint8_t* packed);

private:
    std::uint64_t size_;
    std::uint8_t* data_ = nullptr; ///< Null: no bytes.
};

} // namespace levee
