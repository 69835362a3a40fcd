// SPDX-License-Identifier: Apache-2.0
#include "core/memory/access_pattern.hpp"

namespace levee {

namespace {

/// Computes the extent in 64-bit arithmetic for the usual patterns, whose strides are not negative
/// and whose addresses do not overflow. Returns nothing for others.
std::optional<AccessPattern::Extent> forward_extent(const AccessPattern& pattern)
{
    std::uint64_t last = 0, span = 0;
    if (__builtin_add_overflow(pattern.address, pattern.run_bytes - 1, &last))
        return std::nullopt;
    for (std::size_t level = 0; level < 3; ++level) {
        if (pattern.count[level] == 1)
            continue;
        if (pattern.stride[level] < 0 ||
            __builtin_mul_overflow(static_cast<std::uint64_t>(pattern.stride[level]),
                                   pattern.count[level] - 1, &span) ||
            __builtin_add_overflow(last, span, &last))
            return std::nullopt;
    }
    return AccessPattern::Extent{pattern.address, last};
}

} // namespace

std::optional<AccessPattern::Extent> AccessPattern::extent_of_runs() const
{
    if (run_bytes == 0 || count[0] == 0 || count[1] == 0 || count[2] == 0)
        return std::nullopt;
    if (const auto forward = forward_extent(*this))
        return forward;
    __extension__ using Signed = __int128;
    Signed first = address;
    Signed last = static_cast<Signed>(address) + run_bytes - 1;
    for (std::size_t level = 0; level < 3; ++level) {
        if (count[level] == 1)
            continue;
        const Signed span =
            static_cast<Signed>(stride[level]) * static_cast<Signed>(count[level] - 1);
        (span < 0 ? first : last) += span;
    }
    if (first < 0 || last > static_cast<Signed>(UINT64_MAX))
        return std::nullopt;
    return Extent{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
}

bool AccessPattern::fits_transaction() const
{
    std::uint64_t total = run_bytes;
    if (total > UINT32_MAX)
        return false;
    for (const std::uint64_t level : count) {
        if (level > UINT32_MAX || (level > 0 && total > UINT32_MAX / level))
            return false;
        total *= level;
    }
    return true;
}

AccessPattern AccessPattern::merged() const
{
    AccessPattern result = *this;
    for (std::size_t level = 3; level-- > 0;) {
        if (result.count[level] == 1)
            continue;
        if (result.stride[level] != static_cast<std::int64_t>(result.run_bytes))
            break;
        result.run_bytes *= result.count[level];
        result.count[level] = 1;
        result.stride[level] = 0;
    }
    return result;
}

} // namespace levee
