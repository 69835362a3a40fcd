// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace levee::test {

/// A fault of mutate.py's list.
struct Mutant {
    unsigned number = 0;
    /// File and module of the fault, its statement, the original text and the faulty text,
    /// separated by tabs. These are the first columns of equivalent_faults.tsv. There are no line
    /// numbers, so edits elsewhere in the file do not matter.
    std::string text;
    std::string rule;
};

[[nodiscard]] std::vector<Mutant> read_mutants(const std::string& list);

/// rules_of() returns the rules that `mutants` use; all_rules() returns all rules of
/// test/rtl/mutate.
[[nodiscard]] std::set<std::string> rules_of(const std::vector<Mutant>& mutants);
[[nodiscard]] std::set<std::string> all_rules();

template <typename Ports> Ports ports_of_model(const RtlModel<Ports>&)
{
    return {};
}
/// Makes the bench of a design with a fault; 0: none.
using MakeMutant = std::function<std::unique_ptr<cosim::Bench>(unsigned mutant)>;

/// Makes the bench of a model that includes all faults.
template <const auto& model> std::unique_ptr<cosim::Bench> make_mutant(unsigned mutant)
{
    return ports_of_model(model).make_bench(model.make,
                                            {1, "+levee_mutant=" + std::to_string(mutant)});
}

/// Returns whether co-simulation detects the fault within this many operations.
[[nodiscard]] bool is_caught(const MakeMutant& make, unsigned mutant, std::uint64_t operations);

/// Returns whether the block's checks detect a fault within this many operations.
using Check = std::function<bool(const Mutant&, std::uint64_t operations)>;

/// Returns, one per line, the undetected `mutants` that the file `equivalent` does not list, and
/// the detected ones that it does list. The work is bounded: most faults are detected early, others
/// within `most_operations`, and listed ones get only a few operations.
inline constexpr std::uint64_t most_operations = 1000;
[[nodiscard]] std::string surprises(const Check& is_detected, const std::vector<Mutant>& mutants,
                                    const std::string& equivalent);

/// Returns the lines of `equivalent` that match none of `mutants`: these faults no longer exist.
[[nodiscard]] std::string strays(const std::vector<Mutant>& mutants, const std::string& equivalent);

} // namespace levee::test
