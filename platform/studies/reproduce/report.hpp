// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/constants.hpp"
#include "platform/studies/reproduce/errors.hpp"
#include "platform/studies/reproduce/evaluate.hpp"

#include <string>
#include <vector>

namespace levee::reproduce {

/// Returns "holds" or "FAILS"; empty without an expectation.
[[nodiscard]] std::string verdict(const Comparison& line);
/// Returns the row's note, and the reason if the number is missing.
[[nodiscard]] std::string full_note(const Comparison& line);
/// Returns "contradicted" or "missing" for a row that says so, and an empty text for another row
/// without a number. Otherwise returns "reading: ..." with the variant that the row's runs already
/// use, or with the variants that are nearer than the default. If none is nearer, returns "stated",
/// or "not compared" if variants were not run.
[[nodiscard]] std::string follows_text(const Comparison& line);

/// Returns a CSV table with a line for each number, and with all columns. Numbers have all digits.
/// There are columns for constants only if a number is predicted.
[[nodiscard]] std::string comparison_csv(const std::vector<Comparison>& lines,
                                         const Predictions& predictions = {});

/// Returns a CSV table with the variants next to the default.
[[nodiscard]] std::string variants_csv(const Plan& plan, const std::vector<Comparison>& lines);

/// Returns a Markdown table of the comparison, with variants and notes.
[[nodiscard]] std::string table_markdown(const Plan& plan, const std::vector<Comparison>& lines,
                                         const Predictions& predictions = {});

/// Returns a table for a terminal, without variants and notes.
[[nodiscard]] std::string table_text(const std::vector<Comparison>& lines,
                                     const Predictions& predictions = {});

/// Returns a CSV table with each constant: its value from all rows, and the errors when each row is
/// held out in turn.
[[nodiscard]] std::string constants_csv(const std::vector<HeldOutErrors>& errors);

/// Returns sentences about the predictions of constants; empty without predictions.
[[nodiscard]] std::string constants_text(const std::vector<HeldOutErrors>& errors);
/// Returns a sentence for each goal and each group of devices: whether the goal is met, and the
/// numbers.
[[nodiscard]] std::string goals_text(const Plan& plan, const std::vector<HeldOutErrors>& errors);

/// Returns the error of each figure and table, in the default and in each variant, as CSV and as
/// Markdown. Errors are relative; the Markdown has them in percent.
[[nodiscard]] std::string errors_csv(const Plan& plan, const std::vector<GroupError>& errors);
[[nodiscard]] std::string errors_markdown(const Plan& plan, const std::vector<GroupError>& errors);

[[nodiscard]] std::string plot_csv(const Plot& plot, const Evaluator& evaluator);

} // namespace levee::reproduce
