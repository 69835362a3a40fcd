// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/geometry.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram {

/// How busy each bank pair has been: shares of its time that are constant between changes.
class BankUse {
    struct Span {
        Time since;
        double peak;        ///< the largest share
        double peak_before; ///< time in use until `since`, were a pair always the busiest
        std::vector<double> share;
        std::vector<double> before; ///< time in use until `since`
    };

public:
    /// `pairs`: of all sides.
    explicit BankUse(unsigned pairs);

    /// From `now` on, `shares[pair]` of each pair's time is in use; the last call at a time counts.
    void change(Time now, const std::vector<double>& shares);
    /// Drops what is before `time`.
    void forget(Time time);

    /// From `from` to `to`, for several pairs. Valid until a change.
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
        /// But for rounding, no pair was in use for longer.
        [[nodiscard]] double most_busy() const
        {
            return (last_.peak_before + last_.peak * to_) -
                   (first_.peak_before + first_.peak * from_);
        }

    private:
        /// 0 before anything was remembered.
        static double since(const Span& span, Time time)
        {
            return time < span.since ? 0.0 : static_cast<double>(time - span.since);
        }
        const Span& first_;
        const Span& last_;
        double from_, to_;
    };

    /// Time the pair was in use from `from` to `to`; what is forgotten counts as idle.
    [[nodiscard]] double busy(unsigned pair, Time from, Time to) const
    {
        return Window(*this, from, to).busy(pair);
    }
    /// No pair's use changes from `time` until this time.
    [[nodiscard]] Time steady_until(Time time) const;

private:
    [[nodiscard]] const Span& span_at(Time time) const;

    std::deque<Span> spans_;
    std::vector<Span> spare_; ///< forgotten ones: making one allocates
};

} // namespace levee::edram
