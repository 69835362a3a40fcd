// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"
#include "platform/studies/sweep/design.hpp"

namespace levee::sweep {

inline constexpr std::uint32_t most_generation = 1024;
inline constexpr std::uint64_t most_optimiser_seed =
    0xFFFFFFFF; // the largest seed of numpy's generators
inline constexpr std::uint64_t most_seeds = 1000;
inline constexpr std::uint64_t most_values = 10'000; // maximum number of values of an axis

inline constexpr const char* text_or_texts = "a text, or a list of texts";
inline constexpr config::Key text_forms[] = {config::text("", "One.").filled(),
                                             config::texts("", "Several.").without_empty_items()};

inline constexpr config::Key name_forms[] = {
    config::text("", "One.").filled(),
    config::texts("", "Several.").filled().without_empty_items()};

inline constexpr config::Key override_forms[] = {
    config::text("", "One override.").matching("="),
    config::texts("", "Several overrides.").matching("=")};
inline constexpr const char* overrides_form = "KEY=VALUE, or a list of them";

/// Keys of named points, and of an axis with labels.
inline constexpr config::Key label_keys[] = {config::one_of(config::any_name.data(), override_forms,
                                                            overrides_form,
                                                            "A name, with overrides.")
                                                 .optional()};

[[nodiscard]] constexpr config::Key value_of(config::Dimension dimension)
{
    return config::quantity("", dimension, "A number with its unit.");
}
/// Forms of a range's values. Their unit is that of the key that varies.
inline constexpr config::Key value_forms[] = {config::real("", -1e300, 1e300, "A number."),
                                              value_of(config::Dimension::Size),
                                              value_of(config::Dimension::Time),
                                              value_of(config::Dimension::Frequency),
                                              value_of(config::Dimension::Power),
                                              value_of(config::Dimension::Bandwidth),
                                              value_of(config::Dimension::Energy),
                                              value_of(config::Dimension::TransferRate),
                                              value_of(config::Dimension::Area)};
inline constexpr const char* value_form = "a number, or one with its unit";

inline constexpr config::Word scale_words[] = {{"linear", false}, {"log", true}};
inline constexpr config::Key axis_keys[] = {
    config::one_of("key", name_forms, text_or_texts, "Keys of the scenario that get the value.")
        .or_else_is("the axis's name"),
    config::texts("values", "Values.").filled().alone(),
    config::map("labels", label_keys, "Names of values, each with overrides.").filled().alone(),
    config::one_of("from", value_forms, value_form, "Least value of a range."),
    config::one_of("to", value_forms, value_form, "Greatest value of a range."),
    config::count32("steps", "Values of a range.", {2, most_values}).optional(),
    config::one_of("step", value_forms, value_form, "Distance of a linear range's values.")
        .optional(),
    config::word("scale", scale_words, "Equal distances, or equal ratios.").or_else("linear"),
    config::one_of("multiple_of", value_forms, value_form, "Number whose multiples a range has.")
        .optional(),
    config::text("only_if",
                 "Condition on earlier axes; where it does not hold, the axis sets nothing.")
        .filled()
        .optional(),
};
inline constexpr config::Key axis_forms[] = {
    config::texts("", "Values of the key that is the axis's name.").filled(),
    config::map("", axis_keys, "A list, a range or labels under a name."),
    config::map("", label_keys, "Names of values, each with overrides.").filled()};
inline constexpr config::Key axes_keys[] = {config::one_of(config::any_name.data(), axis_forms,
                                                           "a list, a map, or names with overrides",
                                                           "An axis.")
                                                .optional()};

inline constexpr config::Key zip_form[] = {
    config::texts("", "Axes that step together.").filled().without_empty_items()};

inline constexpr config::Key sample_keys[] = {
    config::count32("random", "Number of points that are drawn.", {1, most_points}),
    config::count32("latin_hypercube", "Number of points of a Latin hypercube.", {1, most_points})
        .alone(),
    config::count("seed", "Seed of the draws.").or_else("1"),
};

inline constexpr config::Key seed_form[] = {config::count("", "A seed.", {0, 0xFFFF'FFFF})};
inline constexpr config::Key seeds_forms[] = {
    config::count("", "Number of seeds from 1.", {1, most_seeds}),
    config::list("", seed_form, "a list of numbers", "Seeds.").filled()};

inline constexpr config::Key column_keys[] = {
    config::text("metric", "Metric of the results (docs/results.md).").filled(),
    config::text("over", "Metric by which the column's metric is divided.").filled().optional(),
    config::real("scale", 0, 1e30, "Factor by which the value is multiplied.").or_else("1"),
    config::count32("digits", "Digits after the point.", {0, 15})
        .or_else_is("as many as the number has"),
};
inline constexpr config::Key column_forms[] = {
    config::text("", "A metric of the results.").filled(),
    config::map("", column_keys, "A metric's form.")};
inline constexpr config::Key columns_keys[] = {
    config::one_of(config::any_name.data(), column_forms, "a metric, or a map", "A column.")
        .optional()};
inline constexpr config::Key columns_forms[] = {
    config::texts("", "Metrics.").without_empty_items(),
    config::map("", columns_keys, "Names of columns.").filled()};

inline constexpr config::Key objective_keys[] = {
    config::one_of("maximize", name_forms, text_or_texts, "Columns or metrics to maximize.")
        .optional(),
    config::one_of("minimize", name_forms, text_or_texts, "Columns or metrics to minimize.")
        .optional(),
};
inline constexpr config::Key objectives_forms[] = {
    config::map("", objective_keys, "Objectives.").filled(),
    config::maps("", objective_keys, "Objectives in an order of their own.").filled()};

/// Keys of the budget of an exploration.
inline constexpr config::Key explore_keys[] = {
    config::count32("points", "Points of the axes that run; also `--points`.", {1, most_points}),
    config::count32("generation",
                    "Points that are proposed, and run, together; also `--generation`.",
                    {1, most_generation})
        .or_else("4"),
    config::count("seed", "Seed of the optimiser; also `--seed`.", {0, most_optimiser_seed})
        .or_else("1"),
};

inline constexpr config::Key study_keys[] = {
    config::text(
        "scenario",
        "Common scenario of all points: looked for in the study's folder, then in scenarios/.")
        .filled(),
    config::text("name", "Name of the study, and of its folder in out/.")
        .filled()
        .or_else_is("the file's"),
    config::one_of("set", override_forms, overrides_form, "Overrides of every point.").optional(),
    config::map("axes", axes_keys, "Keys that vary; this or `points` must be given.")
        .filled()
        .optional(),
    config::list("zip", zip_form, "lists of axes", "Axes that step together.").optional(),
    config::map("sample", sample_keys, "A drawn part of all combinations.")
        .or_else_is("every combination"),
    config::one_of("where", text_forms, text_or_texts,
                   "Conditions that a point of the axes must fulfil.")
        .optional(),
    config::map("points", label_keys, "Named points, each with overrides.").filled().optional(),
    config::one_of("seeds", seeds_forms, "a number n for 1 to n, or a list",
                   "Seeds; every point runs with each.")
        .or_else_is("the scenario's"),
    config::one_of("columns", columns_forms, "a list of metrics, or a map",
                   "Columns of the table; needed without `objectives`.")
        .optional(),
    config::one_of("objectives", objectives_forms, "a map, or a list of maps",
                   "Columns with an optimum: the Pareto front.")
        .optional(),
    config::texts("checks", "Relations that figures must have, such as `answered(aep/128) >= 0.9 * "
                            "answered(full)`.")
        .without_empty_items()
        .optional(),
    config::map("explore", explore_keys, "Budget of `levee explore` (docs/sweeps.md).").optional(),
    config::flag("keep", "Files of each run stay, in runs/.").or_else("false"),
};

} // namespace levee::sweep
