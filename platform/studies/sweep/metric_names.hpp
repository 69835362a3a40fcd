// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/phases.hpp"
#include "platform/studies/sweep/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace levee::sweep {

/// The names of figures that runs may have. These are the names of docs/results.md, where `<block>`
/// and similar words stand for components; names from add_texts(); texts in the firmware's program
/// files; and any figure of a plug-in's component.
class MetricNames {
public:
    explicit MetricNames(const Plan& plan);

    [[nodiscard]] bool known(std::string_view name) const;
    /// Returns "; did you mean ..." with the nearest name, or an empty text.
    [[nodiscard]] std::string near(const std::string& name) const;

private:
    [[nodiscard]] bool matches(std::string_view pattern, std::string_view name) const;
    [[nodiscard]] bool in_programs(const std::string& name) const;
    [[nodiscard]] const std::vector<std::string>* words_for(std::string_view placeholder) const;
    void expand(const std::string& pattern, std::vector<std::string>& names) const;

    std::vector<std::string> patterns_;
    std::vector<std::string> components_;
    std::vector<std::string> phases_{phase_names.begin(), phase_names.end()};
    std::vector<std::string> groups_ = {"high_msb", "high_lsb", "low_msb", "low_lsb"};
    std::vector<std::string> programs_; ///< contents of program files
};

/// Throws config::Error at the first column with a figure that no run can have.
void check_metrics(const Study& study, const MetricNames& names);

} // namespace levee::sweep
