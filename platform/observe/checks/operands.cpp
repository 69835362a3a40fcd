// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/operands.hpp"

#include <algorithm>

namespace levee::checks {

Operands::Operands(std::span<const TensorAccess> tensors, std::uint32_t field)
{
    for (const TensorAccess& tensor : tensors)
        if (tensor.exact && !tensor.write && tensor.field == field && tensor.extent &&
            (operands_.empty() || !is_same(operands_.back().pattern, tensor.pattern))) {
            if (tensor.pattern.merged().runs() <= most_runs)
                operands_.push_back({tensor.pattern, *tensor.extent, tensor.extent->last});
            else
                complete_ = false;
        }
    const auto first = [](const Operand& o) { return o.extent.first; };
    if (!std::ranges::is_sorted(operands_, {}, first))
        std::ranges::stable_sort(operands_, {}, first);
    const auto repeated = std::ranges::unique(operands_, [](const Operand& a, const Operand& b) {
        return is_same(a.pattern, b.pattern);
    });
    operands_.erase(repeated.begin(), repeated.end());
    for (std::size_t i = 1; i < operands_.size(); ++i)
        operands_[i].reach = std::max(operands_[i].reach, operands_[i - 1].reach);
}

std::optional<Interval> Operands::overlap(const TensorAccess& result, bool in_place)
{
    const AccessPattern::Extent& own = *result.extent;
    auto at = std::ranges::upper_bound(operands_, own.last, {},
                                       [](const Operand& o) { return o.extent.first; });
    while (at != operands_.begin() && (--at)->reach >= own.first) {
        if (++visits_ > most_visits) {
            complete_ = false;
            return std::nullopt;
        }
        if (at->extent.last < own.first ||
            (in_place && at->pattern.address == result.pattern.address))
            continue;
        if (const auto both = common(result.pattern.merged(), *at))
            return both;
    }
    return std::nullopt;
}

std::optional<Interval> Operands::common(const AccessPattern& result, Operand& operand)
{
    if (result.runs() > most_runs) {
        complete_ = false;
        return std::nullopt;
    }
    if (operand.bytes.parts().empty())
        operand.bytes.add(operand.pattern.merged());
    if (result.runs() == 1 &&
        !operand.bytes.meets(result.address, result.address + result.run_bytes))
        return std::nullopt;
    Intervals written;
    written.add(result);
    return written.common(operand.bytes);
}

} // namespace levee::checks
