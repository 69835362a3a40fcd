// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/errors.hpp"
#include "platform/studies/reproduce/evaluate.hpp"

#include <string>
#include <vector>

namespace levee::reproduce {

/// "holds", "FAILS", or empty where nothing is expected.
[[nodiscard]] std::string verdict(const Comparison& line);
/// The row's own note, and why there is no number.
[[nodiscard]] std::string full_note(const Comparison& line);
/// "reading: ..." with the variants that are nearer than the default; "stated" if none is, "not
/// compared" if they were not run; "contradicted" or "missing". Empty without a number.
[[nodiscard]] std::string follows_text(const Comparison& line);

/// CSV: a line for each number with all its columns; numbers read back the same.
[[nodiscard]] std::string comparison_csv(const std::vector<Comparison>& lines);

/// The variants beside the runs as they are.
[[nodiscard]] std::string variants_csv(const Plan& plan, const std::vector<Comparison>& lines);

/// Markdown: the comparison with variants and notes, for reading.
[[nodiscard]] std::string table_markdown(const Plan& plan, const std::vector<Comparison>& lines);

/// The same without variants and notes, in columns for a terminal.
[[nodiscard]] std::string table_text(const std::vector<Comparison>& lines);

/// CSV and Markdown: the error of each figure and table, as it is and in each variant. Relative,
/// in the Markdown in percent.
[[nodiscard]] std::string errors_csv(const Plan& plan, const std::vector<GroupError>& errors);
[[nodiscard]] std::string errors_markdown(const Plan& plan, const std::vector<GroupError>& errors);

/// The data of a figure or table of the paper.
[[nodiscard]] std::string plot_csv(const Plot& plot, const Evaluator& evaluator);

} // namespace levee::reproduce
