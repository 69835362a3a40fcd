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
inline constexpr config::Key text_forms[] = {
    config::text("", "One text.").filled(),
    config::texts("", "Several texts.").without_empty_items()};

inline constexpr config::Key name_forms[] = {
    config::text("", "One name.").filled(),
    config::texts("", "Several names.").filled().without_empty_items()};

inline constexpr config::Key override_forms[] = {
    config::text("", "One override.").matching("="),
    config::texts("", "Several overrides.").matching("=")};
inline constexpr const char* overrides_form = "KEY=VALUE, or a list of them";

/// Keys of named points, and of an axis with labels.
inline constexpr config::Key label_keys[] = {
    config::one_of(config::any_name.data(), override_forms, overrides_form,
                   "A name, with the overrides for which it stands.")
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
    config::texts("values", "List of the axis's values.").filled().alone(),
    config::map("labels", label_keys, "Named values, each with overrides.").filled().alone(),
    config::one_of("from", value_forms, value_form, "Smallest value of the range."),
    config::one_of("to", value_forms, value_form, "Largest value of the range."),
    config::count32("steps", "Number of values in the range.", {2, most_values}).optional(),
    config::one_of("step", value_forms, value_form,
                   "Difference between neighbouring values of a linear range.")
        .optional(),
    config::word("scale", scale_words,
                 "Equal differences or equal ratios between neighbouring values.")
        .or_else("linear"),
    config::one_of("multiple_of", value_forms, value_form,
                   "The range's values are rounded to multiples of this number.")
        .optional(),
    config::text(
        "only_if",
        "Condition on earlier axes; in points that do not fulfil it, the axis sets no key.")
        .filled()
        .optional(),
};
inline constexpr config::Key axis_forms[] = {
    config::texts("", "Values of the key after which the axis is named.").filled(),
    config::map("", axis_keys, "A list, a range or labels, for an axis with a name of its own."),
    config::map("", label_keys, "Named values, each with overrides.").filled()};
inline constexpr config::Key axes_keys[] = {config::one_of(config::any_name.data(), axis_forms,
                                                           "a list, a map, or names with overrides",
                                                           "An axis, with its values.")
                                                .optional()};

inline constexpr config::Key zip_form[] = {
    config::texts("", "Names of axes whose values change together.")
        .filled()
        .without_empty_items()};

inline constexpr config::Key sample_keys[] = {
    config::count32("random", "Number of points to draw at random.", {1, most_points}),
    config::count32("latin_hypercube", "Number of points in a Latin hypercube sample.",
                    {1, most_points})
        .alone(),
    config::count("seed", "Seed of the random numbers.").or_else("1"),
};

inline constexpr config::Key seed_form[] = {config::count("", "A seed.", {0, 0xFFFF'FFFF})};
inline constexpr config::Key seeds_forms[] = {
    config::count("", "A number n, for the seeds 1 to n.", {1, most_seeds}),
    config::list("", seed_form, "a list of numbers", "List of seeds.").filled()};

inline constexpr config::Key column_keys[] = {
    config::text("metric", "Metric of the results (docs/results.md).").filled(),
    config::text("over", "Metric by which the column's metric is divided.").filled().optional(),
    config::real("scale", 0, 1e30, "Factor by which the value is multiplied.").or_else("1"),
    config::count32("digits", "Digits after the decimal point.", {0, 15})
        .or_else_is("all digits of the number"),
};
inline constexpr config::Key column_forms[] = {
    config::text("", "A metric of the results.").filled(),
    config::map("", column_keys, "A metric, with a divisor, a factor or a number of digits.")};
inline constexpr config::Key columns_keys[] = {
    config::one_of(config::any_name.data(), column_forms, "a metric, or a map", "A column.")
        .optional()};
inline constexpr config::Key columns_forms[] = {
    config::texts("", "List of metrics.").without_empty_items(),
    config::map("", columns_keys, "Columns by name.").filled()};

inline constexpr config::Key objective_keys[] = {
    config::one_of("maximize", name_forms, text_or_texts, "Columns or metrics to maximize.")
        .optional(),
    config::one_of("minimize", name_forms, text_or_texts, "Columns or metrics to minimize.")
        .optional(),
};
inline constexpr config::Key objectives_forms[] = {
    config::map("", objective_keys, "Columns or metrics to maximize and to minimize.").filled(),
    config::maps("", objective_keys,
                 "A list of such maps, which fixes the order of the objectives.")
        .filled()};

/// Keys of the budget of an exploration.
inline constexpr config::Key explore_keys[] = {
    config::count32("points", "Number of points of the axes to run; also `--points`.",
                    {1, most_points}),
    config::count32("generation",
                    "Number of points that the optimiser proposes at a time; also `--generation`.",
                    {1, most_generation})
        .or_else("4"),
    config::count("seed", "Seed of the optimiser; also `--seed`.", {0, most_optimiser_seed})
        .or_else("1"),
};

inline constexpr config::Key study_keys[] = {
    config::text("scenario",
                 "Scenario of all points; Levee searches the study's folder, then scenarios/.")
        .filled(),
    config::text("name", "Name of the study, and of its folder in out/.")
        .filled()
        .or_else_is("the file's name"),
    config::one_of("set", override_forms, overrides_form, "Overrides that apply to every point.")
        .optional(),
    config::map("axes", axes_keys,
                "Keys that vary, with their values; a study needs `axes` or `points`.")
        .filled()
        .optional(),
    config::list("zip", zip_form, "lists of axes",
                 "Axes whose values change together, instead of in all combinations.")
        .optional(),
    config::map("sample", sample_keys, "Draws some of the combinations, instead of running all.")
        .or_else_is("every combination"),
    config::one_of("where", text_forms, text_or_texts,
                   "Conditions that a point of the axes must fulfil.")
        .optional(),
    config::map("points", label_keys, "Named points, each with overrides.").filled().optional(),
    config::one_of("seeds", seeds_forms, "a number n for 1 to n, or a list",
                   "Seeds of the random numbers; every point runs once with each seed.")
        .or_else_is("the scenario's seed"),
    config::one_of("columns", columns_forms, "a list of metrics, or a map",
                   "Columns of the table; required if the study has no `objectives`.")
        .optional(),
    config::one_of("objectives", objectives_forms, "a map, or a list of maps",
                   "Columns to maximize or minimize; they define the Pareto front.")
        .optional(),
    config::texts("checks",
                  "Relations between figures that must hold, such as `answered(aep/128) >= 0.9 * "
                  "answered(full)`.")
        .without_empty_items()
        .optional(),
    config::map("explore", explore_keys, "Budget of `levee explore` (docs/sweeps.md).").optional(),
    config::flag("keep", "Keeps the files of each run, in runs/.").or_else("false"),
};

} // namespace levee::sweep
