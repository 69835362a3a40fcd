// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::debug {

/// A breakpoint or watchpoint; the kinds are the protocol's numbers (Z packets).
enum class PointKind { Software = 0, Hardware = 1, Write = 2, Read = 3, Access = 4 };

struct Point {
    PointKind kind = PointKind::Software;
    std::uint32_t address = 0; ///< Address as the core sees it.
    std::uint32_t bytes = 0;   ///< bytes of a watchpoint, at least 1

    [[nodiscard]] bool is_watch() const { return kind >= PointKind::Write; }
    friend bool operator==(const Point&, const Point&) = default;
};

/// The target of a debugging session: a halted core and everything it can access.
class Target {
public:
    virtual ~Target() = default;

    /// Registers: x0 to x31, pc (32), CSR n as 65 + n. None or false: no such register, or
    /// read-only.
    virtual std::optional<std::uint32_t> read_register(std::uint32_t index) = 0;
    virtual bool write_register(std::uint32_t index, std::uint32_t value) = 0;

    /// Reads memory in the core's map. Returns the number of bytes read, from the start on.
    virtual std::size_t read_memory(std::uint32_t address, std::span<std::uint8_t> data) = 0;
    /// Writes all of the bytes or none.
    virtual bool write_memory(std::uint32_t address, std::span<const std::uint8_t> data) = 0;

    /// The accessible addresses.
    struct Region {
        std::uint32_t address = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] virtual std::vector<Region> regions() const = 0;

    /// Inserting a point twice and removing an absent one have no effect.
    virtual void add_point(const Point& point) = 0;
    virtual void remove_point(const Point& point) = 0;
    virtual void remove_all_points() = 0;
};

} // namespace levee::debug
