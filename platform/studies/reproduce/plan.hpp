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
    Value,       ///< both are the same quantity
    Ratio,       ///< both are a ratio of two systems
    Trend,       ///< only the change along a series can be compared
    NotDerivable ///< the paper's parameters do not determine the number; the simulated one is only
                 ///< shown next to it
};

/// Whether a published number can be derived at all, as far as that is known in advance.
enum class Class {
    Compared,     ///< the default: the simulated numbers show whether a variant is nearer
    Contradicted, ///< cannot be derived, since arithmetic with the stated parameters contradicts it
    Missing       ///< cannot be simulated; the note names the missing part
};

[[nodiscard]] std::string name_of(Kind kind);

enum class Average { Mean, Most, Least };

struct RunSpec {
    std::string group;
    std::filesystem::path scenario;
    std::vector<std::string> overrides;
    bool shares_prefill = false; ///< whether runs that only differ in `workload.max_new_tokens`
                                 ///< simulate their prefill once
};

/// A repetition of all runs under another assumption.
struct Variant {
    /// Settings for some of the runs.
    struct Change {
        std::vector<std::string> overrides;
        /// Groups of runs, or names in which * stands for any text. Empty: all.
        std::vector<std::string> runs;
    };
    std::string name;
    config::Place place;
    std::vector<Change> changes;
    /// Figures that replace the plan's figures with the same names.
    std::vector<sweep::Column> figures;

    /// Returns all overrides for the run with this name, in order; empty if the variant does not
    /// change it.
    [[nodiscard]] std::vector<std::string> overrides(const std::string& name,
                                                     const RunSpec& run) const;
};

/// The rows of one figure or table of the paper, whose errors are averaged.
struct ErrorGroup {
    std::string name;
    std::vector<std::string> rows;
    std::vector<std::string> percent_changes; ///< rows whose number x means a change of x %, that
                                              ///< is a factor of 1 + x / 100
};

struct Bounds {
    double least = 0.0, most = 0.0;
};

/// One or several numbers of the paper, with expressions for the simulated ones.
struct Row {
    std::string id;
    config::Place place;
    std::vector<std::vector<sweep::Expression>>
        parts;                       ///< for each number, an expression for each combination
    Average average = Average::Mean; ///< how the combinations are averaged
    Kind kind = Kind::Value;
    Class follows = Class::Compared;
    std::string under; ///< variant whose settings the row's runs already have; empty: none
    std::string note;
    std::string relative_to;    ///< id of the first row of its series; empty: none
    std::vector<Bounds> expect; ///< empty, one for all numbers, or one for each number
    std::optional<Bounds> expect_ratio, expect_relative;
    std::string expect_in; ///< variant to whose number `expect` applies; empty: the default
    /// Only set for rows that are not published.
    std::string quantity, configuration, unit;
    /// For a row that is not published, an expression that derives its number from published ones.
    /// The columns in it are `published`. Empty if nothing is published.
    std::optional<sweep::Expression> derived;

    [[nodiscard]] bool is_own() const { return !quantity.empty(); }
};

/// The data of a figure or table, with a line for each combination.
struct Plot {
    struct Line {
        std::vector<std::string> labels;
        std::vector<sweep::Expression> values;
    };
    std::string name;
    std::vector<std::string> labels, values; ///< headings
    std::vector<Line> lines;
};

/// A constant that is fitted to measurements of a device, and that predicts its rates.
struct Constant {
    enum class Form {
        Share,  ///< share of the simulated rate
        Seconds ///< seconds that each unit of the rate takes in addition to the simulated time
    };
    std::string name;
    config::Place place;
    Form form = Form::Share;
    std::vector<std::string> rows; ///< ids of rows, or of one of a row's numbers, such as "S08/2"
    std::string note;
    bool fits = true; ///< false: no form of constant predicts these rows, so the second summary of
                      ///< all devices excludes them
};

/// A target for the predictions of rows that were held out.
struct Goal {
    std::string name;
    std::size_t devices = 0, rows = 0;
    double median = 0.0, worst = 0.0; ///< largest errors that meet the goal
};

/// A paper's published numbers, and how runs reproduce them.
struct Plan {
    std::vector<Published> published;
    std::map<std::string, RunSpec> runs;
    std::vector<sweep::Column> figures;
    std::vector<Variant> variants;
    std::vector<Row> rows; ///< first in the order of `published`, then rows that are not published
    std::vector<Plot> plots;
    std::vector<ErrorGroup> errors;
    std::vector<Constant> constants;
    std::vector<Goal> goals;
};

/// Reads FOLDER/published.csv and FOLDER/reproduce/*.yaml (docs/reproduce.md). Throws config::Error
/// for anything that cannot be used.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder, const config::FileFinder& finder);

/// Returns the published row with this id; null if there is none.
[[nodiscard]] const Published* find_published(const Plan& plan, const std::string& id);

} // namespace levee::reproduce
