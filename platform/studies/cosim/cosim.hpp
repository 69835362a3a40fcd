// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/bench.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::cosim {

struct Options {
    std::uint64_t operations = 2000;
    std::uint32_t seed = 1;
    bool compare_cycles = true;
    bool needs_coverage = true; ///< a cover point that was not hit is a failure
};

/// The result of a number of operations.
struct Report {
    std::uint64_t operations = 0; ///< run
    std::uint64_t cycles = 0;
    std::uint64_t comparisons = 0;
    std::optional<Difference> value, cycle; ///< the first of each kind
    std::uint64_t value_operation = 0, cycle_operation = 0;
    std::map<std::string, std::uint64_t> coverage;
    std::vector<std::string> not_covered;

    [[nodiscard]] bool differs() const { return value.has_value() || cycle.has_value(); }
    /// The operation that shows the fault.
    [[nodiscard]] std::uint64_t failing_operation() const
    {
        return cycle && (!value || cycle_operation < value_operation) ? cycle_operation
                                                                      : value_operation;
    }
};

/// Runs operations 0, 1, ... until values differ. After a difference in cycles, only values are
/// compared in the rest, to tell whether they are right.
[[nodiscard]] Report run(Bench& bench, const Options& options);

/// Runs operations [0, last] again and writes waves of `last`.
void write_waves(Bench& fresh, std::uint64_t last, const std::filesystem::path& fst);

struct Request {
    std::string block;
    Options options;
    bool waves = false;
    std::filesystem::path out = "out/cosim";
    std::filesystem::path rtl; ///< a YAML file of the user's design; empty: the block's own
    /// Folder for the counts of executed lines and toggled bits; empty: not counted.
    std::filesystem::path coverage;
    std::filesystem::path export_to; ///< Folder for files that another simulator needs; empty:
                                     ///< compare.
};

/// Operations of an export unless --ops says otherwise: files grow with them.
inline constexpr std::uint64_t export_operations = 100;

/// `levee cosim`: prints the comparison and the coverage; returns the exit code for the shell
/// (platform/run/run.hpp). Throws std::runtime_error for a block without RTL, and config::Error for
/// a user's design that cannot be built.
int run_cosim(const Request& request);

} // namespace levee::cosim
