#pragma once

#include "ip/edram/geometry.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace levee::edram {

/// How busy each bank pair has been: shares of its time that are constant between changes.
class BankUse {
public:
    /// `pairs`: of all sides.
    explicit BankUse(unsigned pairs);

    /// From `now` on, `shares[pair]` of each pair's time is in use; the last call at a time counts.
    void change(Time now, const std::vector<double>& shares);
    /// Drops what is before `time`.
    void forget(Time time);

    /// Time the pair was in use from `from` to `to`; what is
    /// forgotten counts as idle.
    [[nodiscard]] double busy(unsigned pair, Time from, Time to) const;
    /// No pair's use changes from `time` until this time.
    [[nodiscard]] Time steady_until(Time time) const;

private:
    struct Span {
        Time since;
        std::vector<double> share;
        std::vector<double> before; ///< time in use until `since`
    };
    [[nodiscard]] double used_until(unsigned pair, Time time) const;
    [[nodiscard]] std::deque<Span>::const_iterator span_at(Time time) const;

    std::deque<Span> spans_;
};

} // namespace levee::edram
