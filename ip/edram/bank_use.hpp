// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/geometry.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram {

/// Utilisation of each bank pair: shares of its time, constant between changes.
class BankUse {
    struct Span {
        Time since;
        double peak;        ///< the largest share
        double peak_before; ///< time in use until `since`, if one pair had always been the busiest
        std::vector<double> share;
        std::vector<double> before; ///< time in use until `since`
    };

public:
    /// `pairs`: of all sides.
    explicit BankUse(unsigned pairs);

    /// Sets `shares[pair]`, the share of each pair's time in use from `now` on; the last call at a
    /// time counts.
    void change(Time now, const std::vector<double>& shares);
    /// Drops the history before `time`.
    void forget(Time time);

    /// A query over [from, to] for several pairs. Valid until the next change.
    class Window {
    public:
        Window(const BankUse& use, Time from, Time to)
            : first_(use.span_at(from)), last_(use.span_at(to)), from_(since(first_, from)),
              to_(since(last_, to))
        {
        }
        [[nodiscard]] double busy(unsigned pair) const
        {
            return (last_.before[pair] + last_.share[pair] * to_) -
                   (first_.before[pair] + first_.share[pair] * from_);
        }
        /// An upper bound, but for rounding, of the time any pair was in use.
        [[nodiscard]] double most_busy() const
        {
            return (last_.peak_before + last_.peak * to_) -
                   (first_.peak_before + first_.peak * from_);
        }

    private:
        /// 0 before the recorded history.
        static double since(const Span& span, Time time)
        {
            return time < span.since ? 0.0 : static_cast<double>(time - span.since);
        }
        const Span& first_;
        const Span& last_;
        double from_, to_;
    };

    /// Time the pair was in use from `from` to `to`; dropped history counts as idle.
    [[nodiscard]] double busy(unsigned pair, Time from, Time to) const
    {
        return Window(*this, from, to).busy(pair);
    }
    /// The first time after `time` at which some pair's utilisation changes.
    [[nodiscard]] Time steady_until(Time time) const;

private:
    [[nodiscard]] const Span& span_at(Time time) const;

    std::deque<Span> spans_;
    std::vector<Span> spare_; ///< recycled spans: making one allocates
};

} // namespace levee::edram
