// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/cells.hpp"

#include <algorithm>

namespace levee::edram {

namespace {

/// base^count by repeated squaring. Unlike std::pow, it rounds in the same way on every machine.
double power(double base, std::uint64_t count)
{
    double result = 1.0;
    for (; count > 0; count >>= 1) {
        if (count & 1)
            result *= base;
        base *= base;
    }
    return result;
}

} // namespace

Cells::Cells(const Geometry& geometry, const RetentionConfig& config, CellSeed seed,
             std::uint8_t* bytes)
    : config_(config), curve_(config.curve), seed_(seed), bytes_(bytes),
      rows_(2 * geometry.units()), safe_(2 * geometry.units(), 0),
      element_bits_(geometry.units(), usual_element_bits),
      block_safe_(geometry.units() / block_units + 1, 0), iid_(config.failures == Failures::Iid),
      special_(iid_ || config.read_restores)
{
    if (iid_) {
        survival_.assign(rows_.size(), 1.0);
        failed_.assign(rows_.size(), 0);
        next_.assign(rows_.size(), 0);
        written_.assign(geometry.units(), 0);
    }
}

void Cells::restart(std::uint64_t unit, Time now, Time due_msb, Time due_lsb)
{
    for (const Half half : halves) {
        const std::uint64_t row = index(unit, half);
        rows_[row] = {now, half == Half::Msb ? due_msb : due_lsb, 0, 0, safe_[row]};
        if (!stale_.empty())
            stale_.erase(row);
        if (iid_) {
            survival_[row] = 1.0;
            failed_[row] = 0;
            next_[row] = 0; // New data is written, so the cells get new random strengths.
        }
    }
    if (iid_)
        written_[unit] = now;
}

void Cells::restart_part(std::uint64_t unit, std::uint32_t written, Time now)
{
    for (const Half half : halves) {
        const std::uint64_t row = index(unit, half);
        keep_failed(row, written);
        rows_[row] = {now, rows_[row].due, 0, 0, safe_[row]};
        if (iid_) {
            survival_[row] = 1.0;
            failed_[row] = 0;
            next_[row] = 0;
        }
    }
    if (iid_)
        written_[unit] = now;
}

/// Records which bits have failed in bytes of the row that are not overwritten.
void Cells::keep_failed(std::uint64_t row, std::uint32_t written)
{
    const bool none_failed = !iid_ && rows_[row].worst <= safe_[row];
    if (none_failed && (stale_.empty() || !stale_.contains(row)))
        return;
    const Half half = halves[row % 2];
    const Share limit = failed(row);
    const auto strengths = unit_strengths(seed_, row / 2, half, datum(row));
    Bits& stale = stale_[row];
    for (unsigned bit = 0; bit < unit_bits; ++bit) {
        const unsigned byte = stored_bit(element_bits_[row / 2], half, bit) / 8;
        stale[bit] = (written >> byte & 1) == 0 && (stale[bit] || strengths[bit] < limit);
    }
    if (stale.none())
        stale_.erase(row);
}

void Cells::settle(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now)
{
    const std::uint64_t number = index(unit, half);
    if (now >= rows_[number].due)
        settle_row(number, rhythm, now);
}

void Cells::settle_row(std::uint64_t number, const Rhythm& rhythm, Time now)
{
    Row& row = rows_[number];
    if (row.due != round_.due || rhythm.interval != round_.interval || now != round_.now)
        work_out(row.due, rhythm.interval, now);
    const Time first = row.due - row.restored;
    row.restored = round_.restored;
    row.due = round_.next_due;
    if (!fails(rhythm.group))
        return;
    age(number, std::max({first, round_.second, round_.others > 0 ? rhythm.interval : 0}));
    if (iid_)
        endure(number, first, round_.second, rhythm.interval, round_.others);
}

void Cells::work_out(Time due, Time interval, Time now)
{
    round_ = {due, interval, now, 0, 0, due, never};
    if (interval == 0)
        return;
    const Time next = (due / interval + 1) * interval;
    round_.next_due = next;
    if (next > now)
        return;
    round_.second = next - due;
    round_.others = (now - next) / interval;
    round_.restored = next + round_.others * interval;
    round_.next_due = round_.restored + interval;
}

Time Cells::safe_age_of(std::uint64_t block) const
{
    Share weakest = UINT64_MAX;
    const std::uint64_t end = std::min((block + 1) * block_units, rows_.size() / 2);
    for (std::uint64_t unit = block * block_units; unit < end; ++unit)
        for (const Half half : halves)
            for (const Share strength : unit_strengths(seed_, unit, half, 0))
                weakest = std::min(weakest, strength);
    return std::max<Time>(curve_.safe_age(weakest), 1); // 0 means unknown.
}

Time Cells::read_slowly(std::uint64_t number, const Rhythm& rhythm, Time now)
{
    Row& row = rows_[number];
    if (now >= row.due)
        settle_row(number, rhythm, now);
    const Time present = now - row.restored;
    if (fails(rhythm.group))
        age(number, present);
    if (!iid_) {
        if (row.worst > row.safe)
            fail(number);
    } else {
        double survival = survival_[number];
        if (fails(rhythm.group))
            survival *= 1.0 - curve_.probability(present);
        if (config_.read_restores)
            survival_[number] = survival;
        rise(number, failed_[number], std::max(failed_[number], share_of(1.0 - survival)));
    }
    if (config_.read_restores)
        row.restored = now;
    return present;
}

void Cells::restore(std::uint64_t unit, Half half, const Rhythm& rhythm, Time now)
{
    const std::uint64_t number = index(unit, half);
    settle(unit, half, rhythm, now);
    Row& row = rows_[number];
    const Time present = now - row.restored;
    row.restored = now;
    if (!fails(rhythm.group))
        return;
    age(number, present);
    if (iid_)
        survival_[number] *= 1.0 - curve_.probability(present);
}

/// Multiplies the row's survival probability by those of one interval `first`, one `second`, and
/// `others` intervals of length `other`.
void Cells::endure(std::uint64_t row, Time first, Time second, Time other, std::uint64_t others)
{
    double survival = survival_[row] * (1.0 - curve_.probability(first));
    if (second > 0)
        survival *= 1.0 - curve_.probability(second);
    if (others > 0)
        survival *= power(1.0 - curve_.probability(other), others);
    survival_[row] = survival;
}

void Cells::age(std::uint64_t number, Time age)
{
    rows_[number].worst = std::max(rows_[number].worst, age);
}

/// Makes the cells fail whose retention time is below the row's worst age.
void Cells::fail(std::uint64_t number)
{
    rise(number, curve_.share(rows_[number].seen), curve_.share(rows_[number].worst));
}

/// Raises the fraction of failed cells from `before` to `after`, and flips the bits of the cells
/// that newly fail.
void Cells::rise(std::uint64_t number, Share before, Share after)
{
    Row& row = rows_[number];
    const Time before_age = row.seen;
    row.seen = row.worst;
    if (iid_) {
        failed_[number] = after;
        if (after <= next_[number] || after == before)
            return;
    }
    const std::uint64_t unit = number / 2;
    const Half half = halves[number % 2];
    const RowFailure failure{unit * unit_bytes, half,   before_age, row.seen,
                             datum(number),     before, after,      element_bits_[unit]};
    const auto strengths = unit_strengths(seed_, unit, half, failure.datum);
    const auto stale = stale_.find(number);
    unsigned flips = 0;
    Share next = UINT64_MAX, weakest = UINT64_MAX;
    for (unsigned bit = 0; bit < unit_bits; ++bit) {
        weakest = std::min(weakest, strengths[bit]);
        if (strengths[bit] >= after)
            next = std::min(next, strengths[bit]);
        else if (strengths[bit] >= before && (stale == stale_.end() || !stale->second[bit])) {
            flip(bytes_ + failure.offset, failure.element_bits, half, bit);
            ++flips;
        }
    }
    if (iid_) {
        next_[number] = next;
    } else {
        row.safe = std::max(row.worst, curve_.safe_age(next));
        safe_[number] = curve_.safe_age(weakest);
    }
    flipped_ += flips;
    if (flips > 0 && sink_)
        sink_(failure, flips);
}

void Cells::set_element_bits(std::uint64_t first, std::uint64_t end, unsigned bits)
{
    std::fill(element_bits_.begin() + static_cast<std::ptrdiff_t>(first),
              element_bits_.begin() + static_cast<std::ptrdiff_t>(end),
              static_cast<std::uint8_t>(bits));
}

Time Cells::datum(std::uint64_t row) const
{
    return iid_ ? written_[row / 2] : 0;
}

Share Cells::failed(std::uint64_t row) const
{
    return iid_ ? failed_[row] : curve_.share(rows_[row].seen);
}

} // namespace levee::edram
