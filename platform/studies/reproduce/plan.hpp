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

/// The comparison of a simulated number with the published one.
enum class Kind {
    Value,       ///< the same quantity
    Ratio,       ///< a quotient of two systems
    Trend,       ///< Only the change along a series can be compared.
    NotDerivable ///< The paper's parameters do not determine the number; the simulated one is
                 ///< listed next to it.
};

/// What is known in advance about how a published number can be derived.
enum class Class {
    Compared, ///< Not set: whether a variant is nearer than the default follows from the simulated
              ///< numbers.
    Contradicted, ///< cannot be derived: arithmetic on the stated parameters contradicts it
    Missing       ///< cannot be simulated: the note names the missing part
};

[[nodiscard]] std::string name_of(Kind kind);

enum class Average { Mean, Most, Least };

struct RunSpec {
    std::string group;
    std::filesystem::path scenario;
    std::vector<std::string> overrides;
    bool shares_prefill = false; ///< Whether the run shares a prefill with runs that differ in
                                 ///< `workload.max_new_tokens`.
};

/// A repetition of all runs under another assumption.
struct Variant {
    /// Settings of some of the runs.
    struct Change {
        std::vector<std::string> overrides;
        /// Groups of runs, or names in which * stands for any text; empty: all.
        std::vector<std::string> runs;
    };
    std::string name;
    config::Place place;
    std::vector<Change> changes;
    /// Figures that replace the plan's figures of the same names.
    std::vector<sweep::Column> figures;

    /// All overrides of the run with this name, in order; empty: unchanged by the variant.
    [[nodiscard]] std::vector<std::string> overrides(const std::string& name,
                                                     const RunSpec& run) const;
};

/// Rows of one figure or table of the paper, whose errors are averaged.
struct ErrorGroup {
    std::string name;
    std::vector<std::string> rows;
    std::vector<std::string> percent_changes; ///< rows in which x % means 1 + x / 100
};

struct Bounds {
    double least = 0.0, most = 0.0;
};

/// One or several numbers of the paper, each with the expressions for its simulated number.
struct Row {
    std::string id;
    config::Place place;
    std::vector<std::vector<sweep::Expression>>
        parts;                       ///< parts of a number: one sum for each combination
    Average average = Average::Mean; ///< over the combinations
    Kind kind = Kind::Value;
    Class follows = Class::Compared;
    std::string under; ///< Variant whose settings the row's runs already have; empty: none.
    std::string note;
    std::string relative_to;    ///< id of the series' first row; empty: none
    std::vector<Bounds> expect; ///< empty; one for all numbers; or one for each number
    std::optional<Bounds> expect_ratio, expect_relative;
    std::string expect_in; ///< Variant to whose number `expect` applies; empty: the default.
    /// Set for rows that are not published; empty for others.
    std::string quantity, configuration, unit;
    /// Derivation of a row from published numbers; empty: nothing is published. The columns of
    /// these sums are `published`.
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

/// One measured constant of a device, under which its rates are predicted a second time.
struct Constant {
    enum class Form {
        Share,  ///< share of the simulated rate
        Seconds ///< Seconds that each unit of the rate takes in addition to the simulated time.
    };
    std::string name;
    config::Place place;
    Form form = Form::Share;
    std::vector<std::string> rows; ///< ids of rows, or of one of a row's numbers ("S08/2")
    std::string note;              ///< why this form
    bool fits = true; ///< false: no form of constant predicts its rows; the second sum over devices
                      ///< excludes it
};

/// Target for the predictions of held-out rows.
struct Goal {
    std::string name;
    std::size_t devices = 0, rows = 0;
    double median = 0.0, worst = 0.0; ///< most permitted errors
};

/// A paper's published numbers, and how to get them from runs.
struct Plan {
    std::vector<Published> published;
    std::map<std::string, RunSpec> runs;
    std::vector<sweep::Column> figures;
    std::vector<Variant> variants;
    std::vector<Row> rows; ///< Rows in the order of `published`, then derived ones.
    std::vector<Plot> plots;
    std::vector<ErrorGroup> errors;
    std::vector<Constant> constants;
    std::vector<Goal> goals;
};

/// Reads FOLDER/published.csv and FOLDER/reproduce/*.yaml (docs/reproduce.md). Throws
/// config::Error for anything that cannot be used.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder, const config::FileFinder& finder);

/// The published row of this id, or null.
[[nodiscard]] const Published* find_published(const Plan& plan, const std::string& id);

} // namespace levee::reproduce
