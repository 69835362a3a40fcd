// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/weighted_sum.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>

namespace levee::sampling {

namespace {

double picoseconds(const Figures& figures)
{
    std::uint64_t sum = 0;
    for (const PhaseFigures& phase : figures.phases)
        sum += phase.ps;
    return static_cast<double>(sum);
}

} // namespace

void WeightedSum::add(Number& sum, const Stats::Value& before, const Stats::Value& after,
                      std::int64_t units)
{
    if (const auto* count = std::get_if<std::uint64_t>(&after)) {
        const Int128 change = Int128{*count} - Int128{std::get<std::uint64_t>(before)};
        sum = std::get<Int128>(sum) + change * units;
    } else {
        const double change = std::get<double>(after) - std::get<double>(before);
        sum = std::get<double>(sum) +
              change * (static_cast<double>(units) / static_cast<double>(unit));
    }
}

void WeightedSum::add(const Figures& before, const Figures& after, const Weight& weight)
{
    const std::int64_t units = weight.quarters * weight.times;
    for (std::size_t phase = 0; phase < after.phases.size(); ++phase) {
        const PhaseFigures& from = before.phases[phase];
        const PhaseFigures& to = after.phases[phase];
        ps_[phase] += Int128{to.ps - from.ps} * units;
        tokens_[phase] += Int128{to.tokens - from.tokens} *
                          (weight.with_tokens ? weight.quarters * LEVEE_MARK_ONCE : 0);
    }
    for (const auto& [name, value] : after.sums) {
        const bool counts = std::holds_alternative<std::uint64_t>(value);
        const auto from = before.sums.find(name);
        const Stats::Value nothing = counts ? Stats::Value(std::uint64_t{0}) : Stats::Value(0.0);
        Number& sum =
            sums_.try_emplace(name, counts ? Number(Int128{0}) : Number(0.0)).first->second;
        add(sum, from == before.sums.end() ? nothing : from->second, value, units);
    }
    for (const auto& [name, value] : after.levels) {
        const auto at = levels_.try_emplace(name, value).first;
        at->second = std::max(at->second, value);
    }
    ledgers_.resize(std::max(ledgers_.size(), after.ledgers.size()));
    for (std::size_t ledger = 0; ledger < after.ledgers.size(); ++ledger) {
        const std::vector<std::uint64_t>& to = after.ledgers[ledger];
        std::vector<Int128>& sum = ledgers_[ledger];
        sum.resize(std::max(sum.size(), to.size()));
        for (std::size_t cell = 0; cell < to.size(); ++cell) {
            const bool is_new =
                ledger >= before.ledgers.size() || cell >= before.ledgers[ledger].size();
            const std::uint64_t from = is_new ? 0 : before.ledgers[ledger][cell];
            sum[cell] += (Int128{to[cell]} - Int128{from}) * units;
        }
    }
    add_reported(before, after, units);
}

void WeightedSum::add_reported(const Figures& before, const Figures& after, std::int64_t units)
{
    for (const auto& [name, value] : after.reported) {
        const auto* to = std::get_if<std::uint64_t>(&value);
        if (to == nullptr)
            continue;
        const auto was = before.reported.find(name);
        const auto* from =
            was == before.reported.end() ? nullptr : std::get_if<std::uint64_t>(&was->second);
        reported_[name] += (Int128{*to} - Int128{from ? *from : 0}) * units;
    }
}

WeightedSum WeightedSum::operator+(const WeightedSum& other) const
{
    WeightedSum sum = *this;
    for (std::size_t phase = 0; phase < ps_.size(); ++phase) {
        sum.ps_[phase] += other.ps_[phase];
        sum.tokens_[phase] += other.tokens_[phase];
    }
    for (const auto& [name, value] : other.sums_)
        if (const auto [at, is_new] = sum.sums_.try_emplace(name, value); !is_new)
            std::visit(
                [&more = value](auto& to) {
                    to += std::get<std::remove_reference_t<decltype(to)>>(more);
                },
                at->second);
    for (const auto& [name, value] : other.reported_)
        sum.reported_[name] += value;
    sum.ledgers_.resize(std::max(ledgers_.size(), other.ledgers_.size()));
    for (std::size_t ledger = 0; ledger < other.ledgers_.size(); ++ledger) {
        std::vector<Int128>& cells = sum.ledgers_[ledger];
        const std::vector<Int128>& more = other.ledgers_[ledger];
        cells.resize(std::max(cells.size(), more.size()));
        std::transform(more.begin(), more.end(), cells.begin(), cells.begin(), std::plus<>());
    }
    return sum;
}

std::uint64_t WeightedSum::rounded(Int128 units)
{
    return units <= 0 ? 0 : static_cast<std::uint64_t>((units + unit / 2) / unit);
}

Figures WeightedSum::figures(const Figures& end) const
{
    Figures result;
    result.reported = end.reported;
    for (const auto& [name, sum] : reported_)
        result.reported[name] = rounded(sum);
    for (std::size_t phase = 0; phase < ps_.size(); ++phase)
        result.phases[phase] = {rounded(ps_[phase]), rounded(tokens_[phase])};
    for (const auto& [name, sum] : sums_)
        if (const auto* count = std::get_if<Int128>(&sum))
            result.sums[name] = rounded(*count);
        else
            result.sums[name] = std::get<double>(sum);
    result.levels = levels_;
    const double stretch = picoseconds(result) / std::max(1.0, picoseconds(end));
    for (const auto& [name, value] : end.times)
        if (const auto* count = std::get_if<std::uint64_t>(&value))
            result.times[name] =
                static_cast<std::uint64_t>(static_cast<double>(*count) * stretch + 0.5);
        else
            result.times[name] = std::get<double>(value) * stretch;
    for (const auto& ledger : ledgers_) {
        std::vector<std::uint64_t>& cells = result.ledgers.emplace_back();
        for (const Int128 sum : ledger)
            cells.push_back(rounded(sum));
    }
    return result;
}

} // namespace levee::sampling
