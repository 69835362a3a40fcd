// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/operands.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace levee::cpq {

/// The tables of the scale-zero buffer that are in use, by number.
class Tables {
public:
    struct Slot {
        std::uint32_t channels = 0;
        Settings settings;
        std::optional<Table> table; ///< Absent in timing-only runs.
    };

    /// `bytes`: of the buffer.
    explicit Tables(std::uint64_t bytes) : bytes_(bytes) {}

    /// Checks that an operation's tables are distinct, lie within the buffer, and are used like
    /// before. Throws CommandFault.
    void check(const Operands& operands) const;
    /// An entry's table; null: it was reset.
    [[nodiscard]] const Slot* find(const Operands& operands, std::size_t o0) const;
    /// An entry's table, created again if it was reset or if the operation opens it; it has levels
    /// only if `with_levels` is set.
    Slot& open(const Operands& operands, std::size_t o0, bool with_levels);
    void reset(const Operands& operands);

private:
    [[nodiscard]] std::uint64_t bytes_with(const Operands& operands) const;

    std::uint64_t bytes_;
    std::vector<Slot> slots_;
};

} // namespace levee::cpq
