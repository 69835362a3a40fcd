// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace levee {

enum class Direction { Read, Write };

/// A bulk access: count[0] x count[1] x count[2] runs of `run_bytes` contiguous bytes. Run (i, j,
/// k) starts at address + i * stride[0] + j * stride[1] + k * stride[2]. Data are packed in that
/// order, k innermost.
struct AccessPattern {
    std::uint64_t address = 0;
    std::uint64_t run_bytes = 0;
    std::array<std::uint64_t, 3> count{1, 1, 1};
    std::array<std::int64_t, 3> stride{0, 0, 0};
    /// The order of the runs depends on data (a gather by table), so they have no locality.
    bool scattered = false;

    [[nodiscard]] std::uint64_t runs() const { return count[0] * count[1] * count[2]; }
    [[nodiscard]] std::uint64_t bytes() const { return runs() * run_bytes; }

    /// Whether the number of bytes fits in 32 bits, as a TLM payload requires.
    [[nodiscard]] bool fits_transaction() const;

    struct Extent {
        std::uint64_t first; ///< Address of the lowest byte.
        std::uint64_t last;  ///< Address of the highest byte.
    };
    /// Extent of the pattern. Empty if the pattern is empty or exceeds the 64-bit address space.
    [[nodiscard]] std::optional<Extent> extent() const
    {
        // Most accesses have one run. The product of the counts may wrap around to 1.
        const bool is_one_run = count[0] == 1 && count[1] == 1 && count[2] == 1;
        if (!is_one_run || run_bytes == 0 || address + (run_bytes - 1) < address)
            return extent_of_runs();
        return Extent{address, address + (run_bytes - 1)};
    }

    /// Returns a pattern with the same accesses, in which adjacent runs are merged.
    [[nodiscard]] AccessPattern merged() const;

    /// Calls visit(address) for each run in order.
    template <typename Visit> void for_each_run(Visit visit) const
    {
        for (std::uint64_t i = 0; i < count[0]; ++i)
            for (std::uint64_t j = 0; j < count[1]; ++j)
                for (std::uint64_t k = 0; k < count[2]; ++k)
                    visit(address + i * static_cast<std::uint64_t>(stride[0]) +
                          j * static_cast<std::uint64_t>(stride[1]) +
                          k * static_cast<std::uint64_t>(stride[2]));
    }

private:
    [[nodiscard]] std::optional<Extent> extent_of_runs() const;
};

} // namespace levee
