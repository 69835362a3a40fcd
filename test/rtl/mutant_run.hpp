// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/cosim/bench.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace levee::test {

/// A fault of mutate.py's list.
struct Mutant {
    unsigned number = 0;
    std::string place, rule, original, faulty;

    /// As docs/rtl.md lists those that change nothing: "`place` | rule | `original` → `faulty`".
    [[nodiscard]] std::string text() const;
};

[[nodiscard]] std::vector<Mutant> read_mutants(const std::string& list);

/// Makes the bench of a design with a fault; 0: none.
using MakeMutant = std::function<std::unique_ptr<cosim::Bench>(unsigned mutant)>;

/// Whether co-simulation tells the fault within so many operations.
[[nodiscard]] bool is_caught(const MakeMutant& make, unsigned mutant, std::uint64_t operations);

/// Whether the block's checks tell a fault.
using Check = std::function<bool(const Mutant&)>;

/// Those of `mutants` that `is_told` does not tell although docs/rtl.md does not say that they
/// change nothing, and those that it tells although the page says so; one a line.
[[nodiscard]] std::string surprises(const Check& is_told, const std::vector<Mutant>& mutants);

/// `count` of them, drawn by `seed`.
[[nodiscard]] std::vector<Mutant> sample(std::vector<Mutant> mutants, std::size_t count,
                                         std::uint32_t seed);

} // namespace levee::test
