// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/plan.hpp"
#include "platform/studies/sweep/study_keys.hpp"

namespace levee::reproduce {

inline constexpr config::Key run_keys[] = {
    config::text("scenario", "Scenario of the runs."),
    config::one_of("set", sweep::override_forms, sweep::overrides_form,
                   "Overrides that apply to every run.")
        .optional(),
    config::texts("axes", "Names of axes: there is a run for each combination.").optional(),
    config::flag("shared_prefill",
                 "Runs that differ in the number of decoded tokens share a prefill.")
        .or_else("false"),
};

inline constexpr config::Key change_keys[] = {
    config::one_of("set", sweep::override_forms, sweep::overrides_form, "Further overrides.")
        .optional(),
    config::texts("runs", "Names in `runs`, or of single runs, to change; `*` matches any text.")
        .or_else_is("all"),
};

inline constexpr config::Key variant_keys[] = {
    change_keys[0],
    change_keys[1],
    config::maps("changes", change_keys, "Further overrides and the runs that they change.")
        .optional(),
    config::map("figures", sweep::columns_keys, "Figures that replace those with the same names.")
        .optional(),
    config::texts("with", "Earlier variants that this variant combines.").optional(),
};

inline constexpr config::Key error_keys[] = {
    config::texts("rows", "Ids of the group's rows.").optional(),
    config::texts("percent_changes",
                  "Ids of rows with changes in percent; x % counts as the factor 1 + x / 100.")
        .optional(),
};

inline constexpr config::Word form_words[] = {
    {"share", static_cast<std::int64_t>(Constant::Form::Share)},
    {"seconds", static_cast<std::int64_t>(Constant::Form::Seconds)}};
inline constexpr config::Key constant_keys[] = {
    config::word("form", form_words,
                 "Form of the constant: a share of the simulated rate, or seconds added to the "
                 "simulated time."),
    config::texts("rows", "Ids of the device's rows, which are rates.").filled(),
    config::text("note", "Reason for this form."),
    config::flag(
        "fits", "False if no form predicts the device's rows; a second summary then excludes them.")
        .or_else("true"),
};

inline constexpr config::Key goal_keys[] = {
    config::count("devices", "Minimum number of devices with a constant."),
    config::count("rows", "Minimum number of held-out rows."),
    config::real("median", 0, 1, "Largest permitted median error of held-out rows."),
    config::real("worst", 0, 1, "Largest permitted error of a held-out row."),
};

inline constexpr config::Word kind_words[] = {
    {"value", static_cast<std::int64_t>(Kind::Value)},
    {"ratio", static_cast<std::int64_t>(Kind::Ratio)},
    {"trend", static_cast<std::int64_t>(Kind::Trend)},
    {"not derivable", static_cast<std::int64_t>(Kind::NotDerivable)}};
inline constexpr config::Word follows_words[] = {
    {"contradicted", static_cast<std::int64_t>(Class::Contradicted)},
    {"missing", static_cast<std::int64_t>(Class::Missing)}};
inline constexpr config::Word average_words[] = {
    {"mean", static_cast<std::int64_t>(Average::Mean)},
    {"most", static_cast<std::int64_t>(Average::Most)},
    {"least", static_cast<std::int64_t>(Average::Least)}};

inline constexpr config::Word all_words[] = {{"all", 0}};
inline constexpr config::Key over_forms[] = {config::word("", all_words, "All values of the axis."),
                                             config::texts("", "Values.")};
inline constexpr config::Key over_keys[] = {
    config::one_of(config::any_name.data(), over_forms, "a list of values, or all",
                   "A name with its values; expressions contain each value in turn as `{name}`.")
        .optional()};

inline constexpr config::Key bound_forms[] = {config::real("", -1e300, 1e300, "A number."),
                                              config::text("", "No bound.").matching("^-?inf$")};
inline constexpr config::Key bounds_columns[] = {
    config::one_of("least", bound_forms, "a number or -inf", "Least permitted number."),
    config::one_of("most", bound_forms, "a number or inf", "Greatest permitted number.")};
inline constexpr const char* bounds_form = "[least, most]";
inline constexpr config::Key bounds_forms[] = {
    config::row("", bounds_columns, bounds_form, "Least and greatest permitted number.")};
inline constexpr config::Key expect_forms[] = {
    bounds_forms[0],
    config::list("", bounds_forms, "a list of pairs", "Bounds for each number.").filled()};

inline constexpr config::Key row_keys[] = {
    config::word("kind", kind_words, "Kind of comparison."),
    config::word("follows", follows_words, "Reason why no reading can give the number.")
        .or_else_is("derived from the simulated numbers"),
    config::text("under", "Variant whose settings the row's runs already use.").optional(),
    config::map("over", over_keys, "One expression for each combination.").optional(),
    config::one_of("value", sweep::text_forms, "an expression, or one for each number",
                   "Expression of the simulated number; required unless `kind` is 'not derivable'.")
        .optional(),
    config::word("average", average_words,
                 "Combines the values of all combinations of `over` into one number.")
        .or_else("mean"),
    config::text("note", "Note for readers."),
    config::text("relative_to",
                 "Id of the series' first row, by which this row's number is divided.")
        .optional(),
    config::one_of("expect", expect_forms, "[least, most], or a list of such pairs",
                   "Permitted range of the simulated number.")
        .optional(),
    config::text("expect_in", "Variant to whose simulated number `expect` applies.").optional(),
    config::one_of("expect_ratio", bounds_forms, bounds_form,
                   "Permitted range of the ratio simulated / published.")
        .optional(),
    config::one_of("expect_relative", bounds_forms, bounds_form,
                   "Permitted range of the ratio of both series, simulated / published.")
        .optional(),
    config::text("published",
                 "Expression that computes the row's number from other published numbers.")
        .optional(),
    config::text("quantity", "Name of the quantity, for a row that published.csv does not have.")
        .optional(),
    config::text("configuration", "Configuration to which the quantity belongs.").optional(),
    config::text("unit", "Unit of the number.").optional(),
};

inline constexpr config::Key expressions_keys[] = {
    config::text(config::any_name.data(), "A column's heading, with the expression of its values.")
        .optional()};
inline constexpr config::Key plot_keys[] = {
    config::map("over", over_keys, "A line for each combination.").optional(),
    config::map("values", expressions_keys, "Headings, each with an expression."),
};

inline constexpr config::Key reproduction_keys[] = {
    config::named("axes", sweep::label_keys, "Axes, each with named values and their overrides.")
        .optional(),
    config::map("figures", sweep::columns_keys, "Names for metrics of the results.").optional(),
    config::named("variants", variant_keys,
                  "Variants: assumptions under which the runs are repeated.")
        .optional(),
    config::named("runs", run_keys, "Runs by name.").optional(),
    config::named("rows", row_keys, "Rows to reproduce, by their ids in published.csv.").optional(),
    config::named("plots", plot_keys, "Data for figures and tables.").optional(),
    config::named("errors", error_keys, "Groups of rows whose errors are averaged.").optional(),
    config::named("constants", constant_keys, "Devices with one measured constant each.")
        .optional(),
    config::named("goals", goal_keys, "Target errors of held-out rows.").optional(),
};

} // namespace levee::reproduce
