// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/plan.hpp"
#include "platform/machine/assembly/system.hpp"
#include "platform/run/shares.hpp"

#include <string>
#include <vector>

namespace levee {

/// Divides the bytes moved by each memory outside the chip among the requests of a run. The bytes
/// come from the memory's own figures: bytes read and written by address, and bytes moved over the
/// memory's channels.
class ByteShares {
public:
    ByteShares(const SystemPlan& plan, System& system);

    /// From now on, divides the bytes that each memory moves into `parts` equal parts, one for each
    /// of `owners` (Shares::spend()).
    void spend(const std::vector<std::size_t>& owners, std::size_t parts);

    /// Returns the names of the table's columns, each followed by a comma.
    [[nodiscard]] std::string columns() const;
    /// Returns the owner's cells of the table, each preceded by a comma.
    [[nodiscard]] std::string cells(std::size_t owner) const;
    [[nodiscard]] std::string empty_cells() const { return std::string(memories_.size(), ','); }
    [[nodiscard]] std::string idle_cells() const;

private:
    struct Memory {
        std::string name;
        const Component* component;
        Shares shares;
    };
    std::vector<Memory> memories_;
};

} // namespace levee
