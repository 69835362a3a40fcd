// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/compose.hpp"
#include "platform/studies/reproduce/published.hpp"
#include "platform/studies/sweep/check.hpp"
#include "platform/studies/sweep/points.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// How a simulated number is compared with the published one.
enum class Kind {
    Value,       ///< the same quantity
    Ratio,       ///< a quotient of two systems
    Trend,       ///< only its change along a series can be compared
    NotDerivable ///< the paper's parameters do not give it; what was simulated stands beside it
};

/// What is known of a published number beforehand.
enum class Class {
    Compared,     ///< nothing: simulated numbers say whether a variant is nearer than the default
    Contradicted, ///< it follows from nothing: arithmetic on stated parameters contradicts it
    Missing       ///< it cannot be simulated: the note says what is missing
};

[[nodiscard]] std::string name_of(Kind kind);

enum class Average { Mean, Most, Least };

struct RunSpec {
    std::string group;
    std::filesystem::path scenario;
    std::vector<std::string> overrides;
    bool shares_prefill = false; ///< with those that differ in `workload.max_new_tokens`
};

/// A repetition of all runs under another assumption.
struct Variant {
    /// What is set in some of the runs.
    struct Change {
        std::vector<std::string> overrides;
        std::vector<std::string> runs; ///< groups, or names in which * is any text; empty: all
    };
    std::string name;
    config::Place place;
    std::vector<Change> changes;
    std::vector<sweep::Column> figures; ///< that replace those of the same name

    /// All that is set in the run of this name, in order; empty: it is as without the variant.
    [[nodiscard]] std::vector<std::string> overrides(const std::string& name,
                                                     const RunSpec& run) const;
};

/// Rows of one figure or table of the paper, whose errors are averaged.
struct ErrorGroup {
    std::string name;
    std::vector<std::string> rows;
    std::vector<std::string> percent_changes; ///< of these rows: x % stands for 1 + x / 100
};

struct Bounds {
    double least = 0.0, most = 0.0;
};

/// One or several numbers of the paper, each with what is simulated for it.
struct Row {
    std::string id;
    config::Place place;
    std::vector<std::vector<sweep::Expression>>
        parts;                       ///< of a number: one sum for each combination
    Average average = Average::Mean; ///< over the combinations
    Kind kind = Kind::Value;
    Class follows = Class::Compared;
    std::string under; ///< variant whose settings the row's runs have of themselves; empty: none
    std::string note;
    std::string relative_to;    ///< id of the series' first row; empty: none
    std::vector<Bounds> expect; ///< none; one for all numbers; or one for each
    std::optional<Bounds> expect_ratio, expect_relative;
    std::string expect_in; ///< the variant whose number `expect` is of; empty: as the runs are
    /// Set for a row that is not among the plan's published ones; empty for those.
    std::string quantity, configuration, unit;
    /// Of such a row, how it follows from published ones; none: nothing is published of it. Columns
    /// of these sums are `published`.
    std::optional<sweep::Expression> derived;

    [[nodiscard]] bool is_own() const { return !quantity.empty(); }
};

/// Data of a figure or table: a line for each combination.
struct Plot {
    struct Line {
        std::vector<std::string> labels;
        std::vector<sweep::Expression> values;
    };
    std::string name;
    std::vector<std::string> labels, values; ///< headings
    std::vector<Line> lines;
};

/// What a paper published and how to get it from runs.
struct Plan {
    std::vector<Published> published;
    std::map<std::string, RunSpec> runs;
    std::vector<sweep::Column> figures;
    std::vector<Variant> variants;
    std::vector<Row> rows; ///< in the order of `published`, then derived ones
    std::vector<Plot> plots;
    std::vector<ErrorGroup> errors;
};

/// Reads FOLDER/published.csv and FOLDER/reproduce/*.yaml (docs/reproduce.md). Throws
/// config::Error for what cannot be used.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder, const config::FileFinder& finder);

/// The published row of this id, or null.
[[nodiscard]] const Published* find_published(const Plan& plan, const std::string& id);

} // namespace levee::reproduce
