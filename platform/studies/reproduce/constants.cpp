// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/constants.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace levee::reproduce {

namespace {

using Lines = std::vector<const Comparison*>;

/// Returns the device's lines that have both a published and a simulated number. A constant names a
/// row by its id, or one of a row's numbers by the line's id.
Lines lines_of(const Constant& constant, const std::vector<Comparison>& lines)
{
    Lines own;
    for (const Comparison& line : lines) {
        const auto named = [&](const std::string& id) {
            return id == line.id || id == line.row->id;
        };
        const bool usable =
            line.published.value_or(0.0) > 0.0 && line.simulated.value.value_or(0.0) > 0.0;
        if (usable && std::any_of(constant.rows.begin(), constant.rows.end(), named))
            own.push_back(&line);
    }
    return own;
}

/// Returns one line's term in the mean: seconds, or the logarithm of a share. The mean of shares is
/// thus geometric.
double term(Constant::Form form, const Comparison& line)
{
    return form == Constant::Form::Share ? std::log(*line.published / *line.simulated.value)
                                         : 1.0 / *line.published - 1.0 / *line.simulated.value;
}

/// Returns the constant from all lines except `left_out` (null: from all lines).
double constant_of(Constant::Form form, const Lines& lines, const Comparison* left_out)
{
    double sum = 0.0;
    std::size_t count = 0;
    for (const Comparison* line : lines)
        if (line != left_out) {
            sum += term(form, *line);
            ++count;
        }
    const double mean = sum / static_cast<double>(count);
    return form == Constant::Form::Share ? std::exp(mean) : mean;
}

/// Returns how many numbers are in the rows that a constant names, whether or not these rows were
/// run.
std::size_t numbers_of(const Plan& plan, const Constant& constant)
{
    std::size_t count = 0;
    for (const std::string& id : constant.rows) {
        const auto row = std::ranges::find(plan.rows, id, &Row::id);
        count += row == plan.rows.end() ? 1 : std::max<std::size_t>(1, row->parts.size());
    }
    return count;
}

double median_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Returns the errors of those predictions for which `counts` returns true.
template <typename Counts>
HeldOutErrors errors_in(const Predictions& predictions, std::string name, Counts counts)
{
    HeldOutErrors errors;
    errors.name = std::move(name);
    std::vector<double> all;
    std::set<const Constant*> devices;
    for (const auto& [id, held] : predictions) {
        if (!held.ratio || !counts(held))
            continue;
        all.push_back(std::abs(*held.ratio - 1.0));
        devices.insert(held.constant);
        if (all.size() == 1 || all.back() > errors.worst) {
            errors.worst = all.back();
            errors.worst_id = id;
        }
    }
    errors.rows = all.size();
    errors.devices = devices.size();
    if (!all.empty())
        errors.median = median_of(std::move(all));
    return errors;
}

} // namespace

std::optional<double> rate_under(Constant::Form form, double value, double simulated)
{
    const double rate =
        form == Constant::Form::Share ? simulated * value : 1.0 / (1.0 / simulated + value);
    return rate > 0.0 && std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

Predictions hold_out(const Plan& plan, const std::vector<Comparison>& lines)
{
    Predictions predictions;
    for (const Constant& constant : plan.constants) {
        const Lines own = lines_of(constant, lines);
        if (own.size() < 2)
            continue;
        for (const Comparison* line : own) {
            HeldOut held;
            held.constant = &constant;
            held.others = own.size() - 1;
            held.value = constant_of(constant.form, own, line);
            held.rate = rate_under(constant.form, held.value, *line->simulated.value);
            if (held.rate)
                held.ratio = *held.rate / *line->published;
            predictions.emplace(line->id, held);
        }
    }
    return predictions;
}

std::vector<HeldOutErrors> held_out_errors(const Plan& plan, const std::vector<Comparison>& lines)
{
    const Predictions predictions = hold_out(plan, lines);
    std::vector<HeldOutErrors> errors;
    std::size_t named = 0, fitting = 0;
    for (const Constant& constant : plan.constants) {
        const Lines own = lines_of(constant, lines);
        if (own.empty())
            continue;
        HeldOutErrors one = errors_in(predictions, constant.name, [&](const HeldOut& held) {
            return held.constant == &constant;
        });
        one.constant = &constant;
        one.named = numbers_of(plan, constant);
        named += one.named;
        fitting += constant.fits ? one.named : 0;
        one.value = constant_of(constant.form, own, nullptr);
        errors.push_back(std::move(one));
    }
    if (errors.empty())
        return errors;
    errors.push_back(errors_in(predictions, "all", [](const HeldOut&) { return true; }));
    errors.back().named = named;
    if (fitting == 0 || fitting == named)
        return errors;
    errors.push_back(errors_in(predictions, "all that fit",
                               [](const HeldOut& held) { return held.constant->fits; }));
    errors.back().named = fitting;
    return errors;
}

} // namespace levee::reproduce
