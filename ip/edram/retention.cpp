// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/retention.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::edram {

namespace {

constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15ull;

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBull;
    return z ^ (z >> 31);
}

std::uint64_t datum_key(CellSeed seed, Time datum)
{
    const std::uint64_t memory = std::uint64_t{seed.seed} << 32 | seed.memory;
    return mix(mix(memory + golden) + datum * golden);
}

std::uint64_t first_cell(std::uint64_t unit, Half half)
{
    return (2 * unit + (half == Half::Msb ? 0 : 1)) * unit_bits;
}

Share strength(std::uint64_t key, std::uint64_t cell)
{
    return mix(key + (cell + 1) * golden);
}

} // namespace

Share share_of(double probability)
{
    if (!(probability > 0.0))
        return 0;
    if (probability >= 1.0)
        return UINT64_MAX;
    return static_cast<Share>(probability * 18446744073709551616.0);
}

RetentionCurve::RetentionCurve(const std::vector<CurvePoint>& points)
{
    if (points.empty())
        throw std::invalid_argument("a retention curve has no points; expected at least one");
    for (const CurvePoint& point : points) {
        if (point.age == 0 || !(point.probability >= 0.0 && point.probability <= 1.0))
            throw std::invalid_argument(
                "a point of a retention curve has age 0 or a probability outside 0 to 1");
        const double log_age = log_fp64(static_cast<double>(point.age));
        if (!segments_.empty()) {
            Segment& last = segments_.back();
            if (point.age <= last.age || point.probability < last.probability)
                throw std::invalid_argument("a retention curve has ages that do not increase or "
                                            "probabilities that decrease");
            last.slope = (point.probability - last.probability) / (log_age - last.log_age);
        }
        segments_.push_back({point.age, log_age, point.probability, 0.0});
    }
}

double RetentionCurve::probability(Time age) const
{
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), age,
                         [](Time a, const Segment& segment) { return a < segment.age; });
    if (after == segments_.begin())
        return 0.0;
    const Segment& segment = *(after - 1);
    if (segment.age == age || segment.slope == 0.0)
        return segment.probability;
    const double value = segment.probability +
                         segment.slope * (log_fp64(static_cast<double>(age)) - segment.log_age);
    return after == segments_.end() ? value : std::min(value, after->probability);
}

Time RetentionCurve::safe_age(Share strength) const
{
    const auto over = std::upper_bound(
        segments_.begin(), segments_.end(), strength,
        [](Share limit, const Segment& segment) { return limit < share_of(segment.probability); });
    if (over == segments_.end())
        return never;
    if (over == segments_.begin())
        return over->age - 1;
    Time low = (over - 1)->age;
    Time high = over->age;
    for (int halvings = 0; halvings < 10; ++halvings) { // Ten halvings give an accuracy of a
                                                        // thousandth of the interval.
        const Time middle = low + (high - low) / 2;
        (share(middle) <= strength ? low : high) = middle;
    }
    return low;
}

std::uint32_t stream_of(std::string_view memory_name)
{
    std::uint32_t hash = 0x811C'9DC5u; // FNV-1a
    for (const char letter : memory_name)
        hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x0100'0193u;
    return hash;
}

Share cell_strength(CellSeed seed, std::uint64_t unit, Half half, unsigned bit, Time datum)
{
    return strength(datum_key(seed, datum), first_cell(unit, half) + bit);
}

std::array<Share, unit_bits> unit_strengths(CellSeed seed, std::uint64_t unit, Half half,
                                            Time datum)
{
    const std::uint64_t key = datum_key(seed, datum);
    const std::uint64_t first = first_cell(unit, half);
    std::array<Share, unit_bits> strengths;
    for (unsigned bit = 0; bit < unit_bits; ++bit)
        strengths[bit] = strength(key, first + bit);
    return strengths;
}

unsigned apply(const RowFailure& failure, CellSeed seed, std::uint8_t* unit)
{
    const auto strengths =
        unit_strengths(seed, failure.offset / unit_bytes, failure.half, failure.datum);
    unsigned flipped = 0;
    for (unsigned bit = 0; bit < unit_bits; ++bit) {
        if (strengths[bit] < failure.before || strengths[bit] >= failure.after)
            continue;
        flip(unit, failure.element_bits, failure.half, bit);
        ++flipped;
    }
    return flipped;
}

} // namespace levee::edram
