// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee::debug {

/// The kinds of breakpoints and watchpoints, with the protocol's numbers (Z packets).
enum class PointKind { Software = 0, Hardware = 1, Write = 2, Read = 3, Access = 4 };

struct Point {
    PointKind kind = PointKind::Software;
    std::uint32_t address = 0; ///< address as the core sees it
    std::uint32_t bytes = 0;   ///< number of watched bytes, at least 1

    [[nodiscard]] bool is_watch() const { return kind >= PointKind::Write; }
    friend bool operator==(const Point&, const Point&) = default;
};

/// The target of a debugging session: a halted core, and everything that it can access.
class Target {
public:
    virtual ~Target() = default;

    /// Registers are x0 to x31, pc (32), and CSR n as 65 + n. The functions return nothing or false
    /// if the register does not exist or cannot be written.
    virtual std::optional<std::uint32_t> read_register(std::uint32_t index) = 0;
    virtual bool write_register(std::uint32_t index, std::uint32_t value) = 0;

    /// Reads memory at the core's addresses. Returns the number of bytes read from the beginning.
    virtual std::size_t read_memory(std::uint32_t address, std::span<std::uint8_t> data) = 0;
    /// Writes either all bytes or none of them. Returns whether it has written.
    virtual bool write_memory(std::uint32_t address, std::span<const std::uint8_t> data) = 0;

    struct Region {
        std::uint32_t address = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] virtual std::vector<Region> regions() const = 0;

    /// Adding a point twice, or removing a point that does not exist, has no effect.
    virtual void add_point(const Point& point) = 0;
    virtual void remove_point(const Point& point) = 0;
    virtual void remove_all_points() = 0;
};

} // namespace levee::debug
