// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/constants.hpp"
#include "platform/studies/reproduce/errors.hpp"
#include "platform/studies/reproduce/evaluate.hpp"

#include <string>
#include <vector>

namespace levee::reproduce {

/// "holds", "FAILS", or empty if there is no expectation.
[[nodiscard]] std::string verdict(const Comparison& line);
/// The row's own note, and the reason for a missing number.
[[nodiscard]] std::string full_note(const Comparison& line);
/// "reading: ..." with the variants that are nearer than the default; "stated" if none is, "not
/// compared" if they were not run; "contradicted" or "missing". Empty without a number.
[[nodiscard]] std::string follows_text(const Comparison& line);

/// CSV: a line for each number with all its columns; numbers are exact when read back. Columns of
/// constants exist only if a number is predicted.
[[nodiscard]] std::string comparison_csv(const std::vector<Comparison>& lines,
                                         const Predictions& predictions = {});

/// The variants next to the default runs.
[[nodiscard]] std::string variants_csv(const Plan& plan, const std::vector<Comparison>& lines);

/// Markdown: the comparison with variants and notes, for reading.
[[nodiscard]] std::string table_markdown(const Plan& plan, const std::vector<Comparison>& lines,
                                         const Predictions& predictions = {});

/// The same without variants and notes, in columns for a terminal.
[[nodiscard]] std::string table_text(const std::vector<Comparison>& lines,
                                     const Predictions& predictions = {});

/// CSV: each constant, its value from all its rows, and the errors of rows held out in turn.
[[nodiscard]] std::string constants_csv(const std::vector<HeldOutErrors>& errors);

/// The predictions of constants as sentences; empty without predictions.
[[nodiscard]] std::string constants_text(const std::vector<HeldOutErrors>& errors);
/// A sentence for each goal and each sum over devices: met or not, and the numbers.
[[nodiscard]] std::string goals_text(const Plan& plan, const std::vector<HeldOutErrors>& errors);

/// CSV and Markdown: the error of each figure and table, in the default and in each variant.
/// Relative errors; in the Markdown in percent.
[[nodiscard]] std::string errors_csv(const Plan& plan, const std::vector<GroupError>& errors);
[[nodiscard]] std::string errors_markdown(const Plan& plan, const std::vector<GroupError>& errors);

/// The data of a figure or table of the paper.
[[nodiscard]] std::string plot_csv(const Plot& plot, const Evaluator& evaluator);

} // namespace levee::reproduce
