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
    bool needs_coverage = true; ///< fail if a cover point was never hit
};

struct Report {
    std::uint64_t operations = 0;
    std::uint64_t cycles = 0;
    std::uint64_t comparisons = 0;
    std::optional<Difference> value, cycle; ///< the first difference of each kind
    std::uint64_t value_operation = 0, cycle_operation = 0;
    std::map<std::string, std::uint64_t> coverage;
    std::vector<std::string> not_covered;

    [[nodiscard]] bool differs() const { return value.has_value() || cycle.has_value(); }
    /// Returns the operation with the first difference.
    [[nodiscard]] std::uint64_t failing_operation() const
    {
        return cycle && (!value || cycle_operation < value_operation) ? cycle_operation
                                                                      : value_operation;
    }
};

/// Runs operations 0, 1, ... until values differ. After a difference in cycles, the remaining
/// operations are compared only in values, to find out whether the values are right.
[[nodiscard]] Report run(Bench& bench, const Options& options);

/// Runs operations [0, last] again, and writes waveforms of `last`.
void write_waves(Bench& fresh, std::uint64_t last, const std::filesystem::path& fst);

struct Request {
    std::string block;
    Options options;
    bool waves = false;
    std::filesystem::path out = "out/cosim";
    std::filesystem::path rtl; ///< YAML file of the user's design; empty: the block's own design
    /// Folder for the counts of executed lines and toggled bits; empty: they are not counted.
    std::filesystem::path coverage;
    std::filesystem::path export_to; ///< folder for the files that another simulator needs; empty:
                                     ///< compare instead
};

/// Number of operations in an export without --ops. The files grow with it.
inline constexpr std::uint64_t export_operations = 100;

/// `levee cosim`: compares, prints the result and the coverage, and returns the exit code for the
/// shell (platform/run/run.hpp). Throws std::runtime_error for a block without RTL, and
/// config::Error for a user's design that cannot be built.
int run_cosim(const Request& request);

} // namespace levee::cosim
