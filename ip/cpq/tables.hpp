// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/operands.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace levee::cpq {

class Tables {
public:
    struct Slot {
        std::uint32_t channels = 0;
        Settings settings;
        std::optional<Table> table; ///< Absent in timing-only runs.
    };

    /// `bytes` is the size of the buffer.
    explicit Tables(std::uint64_t bytes) : bytes_(bytes) {}

    /// Checks that an operation's tables are distinct, fit in the buffer, and are used with the
    /// same settings as before. Throws CommandFault.
    void check(const Operands& operands) const;
    /// Returns an entry's table; null if it was reset.
    [[nodiscard]] const Slot* find(const Operands& operands, std::size_t o0) const;
    /// Returns an entry's table. It is created if it was reset, or if the operation has the flag
    /// OPEN. It stores levels only if `with_levels` is set.
    Slot& open(const Operands& operands, std::size_t o0, bool with_levels);
    void reset(const Operands& operands);

private:
    [[nodiscard]] std::uint64_t bytes_with(const Operands& operands) const;

    std::uint64_t bytes_;
    std::vector<Slot> slots_;
};

} // namespace levee::cpq
