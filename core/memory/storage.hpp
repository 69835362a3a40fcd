// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace levee {

/// Gathers the runs of `pattern` into `packed`, which has its bytes(); `origin` is the host address
/// of address 0.
void gather(const std::uint8_t* origin, const AccessPattern& pattern, std::uint8_t* packed);
/// Scatters `packed` to the runs of `pattern`.
void scatter(std::uint8_t* origin, const AccessPattern& pattern, const std::uint8_t* packed);

/// Storage of a memory. Host memory is allocated per page on first write; unwritten bytes read as
/// 0.
class Storage {
public:
    /// Throws std::runtime_error if the host cannot reserve `bytes`.
    explicit Storage(std::uint64_t bytes);
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint8_t* data() { return data_; }

    /// True if [address, address + bytes) lies inside.
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const
    {
        return bytes <= size_ && address <= size_ - bytes;
    }
    /// True if every run of `pattern` lies inside.
    [[nodiscard]] bool holds(const AccessPattern& pattern) const;

    /// Places `bytes` at `offset`; std::out_of_range, naming the owner, if they do not fit.
    void load(std::uint64_t offset, std::span<const std::uint8_t> bytes, const std::string& owner);

    /// Gathers or scatters the runs of `pattern`, which must lie inside; `packed` has its bytes().
    void read(const AccessPattern& pattern, std::uint8_t* packed) const;
    void write(const AccessPattern& pattern, const std::uint8_t* packed);

private:
    std::uint64_t size_;
    std::uint8_t* data_ = nullptr; ///< null: no bytes
};

} // namespace levee
