// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/domain.hpp"

#include "core/units/wide.hpp"
#include "platform/studies/sweep/content_hash.hpp"

#include <algorithm>
#include <numeric>

namespace levee::campaign {

namespace {

using config::Error;
using faults::Place;
using faults::PlaceKind;

/// Suggests names for an unknown `name`: all places with this name and a qualifier, or else the
/// nearest name.
std::string instead_of(const std::string& name, const std::vector<std::string>& known)
{
    std::vector<std::string> of_that_name;
    for (const std::string& one : known)
        if (faults::is_told_apart(name, one))
            of_that_name.push_back(one);
    if (of_that_name.empty())
        return config::suggestion(name, known);
    std::string list;
    for (const std::string& one : of_that_name)
        list += (list.empty() ? "" : ", ") + one;
    return ": " + std::to_string(of_that_name.size()) + " have this name; expected one of: " + list;
}

/// Returns the machine's place of this name. If there is none, throws an Error at `where` in the
/// study.
const Place& place_of(const faults::Survey& survey, PlaceKind kind, const std::string& name,
                      const config::Place& where)
{
    std::vector<std::string> known;
    for (const Place& place : survey.places) {
        if (place.kind != kind)
            continue;
        if (place.name == name)
            return place;
        known.push_back(place.name);
    }
    const std::string what = faults::named(kind).name;
    throw Error(where, "'" + name + "' is not a place for faults of the kind '" + what + "'" +
                           (known.empty() ? "; this run has no place of that kind"
                                          : instead_of(name, known)) +
                           " (`levee faults --sites SCENARIO` lists all)");
}

/// Returns the bits of the piece that are in `wanted`, or all its bits if `wanted` is empty.
std::vector<unsigned> bits_of(const faults::Piece& piece, const std::vector<unsigned>& wanted)
{
    std::vector<unsigned> bits(piece.bits);
    std::iota(bits.begin(), bits.end(), 0U);
    if (!wanted.empty())
        std::erase_if(bits,
                      [&](unsigned bit) { return std::ranges::find(wanted, bit) == wanted.end(); });
    return bits;
}

} // namespace

/// Random numbers for one draw by SplitMix64. The seed, the site and the injection's number
/// determine the first state.
class Domain::Random {
public:
    Random(std::uint64_t seed, const std::string& site, std::uint64_t number)
        : state_(mix(mix(seed + step * number) ^ sweep::checksum(site)))
    {
    }
    /// Returns a uniform number below `count`. Probabilities are equal up to one part in 2^64 /
    /// count.
    std::uint64_t below(std::uint64_t count)
    {
        const std::uint64_t draw = mix(state_ += step);
        return static_cast<std::uint64_t>((static_cast<Wide>(draw) * count) >> 64U);
    }

private:
    static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;
    static std::uint64_t mix(std::uint64_t z)
    {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
        return z ^ (z >> 31U);
    }
    std::uint64_t state_;
};

Domain::Domain(const Site& site, const faults::Survey& survey) : site_(&site)
{
    const Place& place = place_of(survey, site.kind, site.of, site.place);
    choose_pieces(place);
    choose_ranges(place, survey);
    if (place.own_bits != 0 && !site.bits.empty())
        throw Error(site.place, "'bits' cannot be used with state that is not in a memory");
    bits_ = place.own_bits + faults::bits_in(ranges_);
    for (const Chosen& chosen : pieces_)
        bits_ += chosen.bits.size();
    if (bits_ == 0)
        throw Error(site.place, "'" + site.name +
                                    "' has no bits: 'from', 'to', 'within', 'only' and 'bits' "
                                    "exclude all of them");
    choose_times(place, survey);
}

void Domain::choose_pieces(const Place& place)
{
    std::vector<std::string> known;
    for (const faults::Piece& piece : place.pieces) {
        known.push_back(piece.name);
        const bool is_wanted =
            site_->only.empty() || std::ranges::find(site_->only, piece.name) != site_->only.end();
        if (is_wanted)
            pieces_.push_back({piece, bits_of(piece, site_->bits)});
    }
    std::erase_if(pieces_, [](const Chosen& chosen) { return chosen.bits.empty(); });
    for (const std::string& name : site_->only)
        if (std::ranges::find(known, name) == known.end())
            throw Error(site_->place, "'only' of '" + site_->name + "' lists '" + name +
                                          "', which '" + place.name + "' does not have" +
                                          instead_of(name, known));
}

void Domain::choose_ranges(const Place& place, const faults::Survey& survey)
{
    ranges_ = place.ranges;
    if (site_->from != 0 || site_->to) {
        const faults::BitRange& whole = ranges_.front();
        const std::uint64_t to = site_->to.value_or(whole.bytes);
        if (site_->from >= to || to > whole.bytes)
            throw Error(site_->place, "'" + site_->name + "' is not a part of '" + place.name +
                                          "', which has " + std::to_string(whole.bytes) +
                                          " bytes; expected 'from' below 'to', and 'to' at most "
                                          "this size");
        ranges_ = {{whole.address + site_->from, to - site_->from}};
    }
    if (site_->within)
        ranges_ = faults::common(
            ranges_, place_of(survey, PlaceKind::State, *site_->within, site_->place).ranges);
    const std::uint64_t mask = faults::mask_of(site_->element_bits, site_->bits);
    for (faults::BitRange& range : ranges_)
        range.mask &= mask;
}

void Domain::choose_times(const Place& place, const faults::Survey& survey)
{
    const When& when = site_->when;
    from_ = when.from;
    to_ = when.to.value_or(place.until != 0 ? place.until + 1 : survey.end);
    if (when.token) {
        const std::uint32_t token = *when.token;
        if (survey.tokens.empty() || token >= survey.tokens.front().size())
            throw Error(
                when.place,
                "there is no token " + std::to_string(token) +
                    "; tokens are counted from 0, and the run without a fault has " +
                    std::to_string(survey.tokens.empty() ? 0 : survey.tokens.front().size()));
        from_ = token == 0 ? 0 : survey.tokens.front()[token - 1];
        to_ = survey.tokens.front()[token];
    }
    if (when.pass) {
        if (*when.pass >= survey.passes.size())
            throw Error(when.place,
                        "there is no pass " + std::to_string(*when.pass) +
                            "; passes are counted from 0, and the run without a fault has " +
                            std::to_string(survey.passes.size()));
        from_ = survey.passes[*when.pass].begin;
        to_ = survey.passes[*when.pass].end;
    }
    to_ = std::min(to_, survey.end);
    const auto late =
        std::ranges::find_if(when.at, [&](Picoseconds at) { return at > survey.end; });
    if (late != when.at.end() || (when.at.empty() && from_ >= to_))
        throw Error(when.place.line != 0 ? when.place : site_->place,
                    "the times of '" + site_->name +
                        "' are outside the run: the run without a fault ends at " +
                        config::format_quantity(survey.end, config::Dimension::Time));
}

Draw Domain::draw(std::uint64_t seed, std::uint64_t number) const
{
    Random random(seed, site_->name, number);
    Draw draw;
    const std::vector<Picoseconds>& at = site_->when.at;
    draw.fault.at = at.empty() ? from_ + random.below(to_ - from_) : at[random.below(at.size())];
    if (!pieces_.empty())
        draw_piece(random, draw);
    else if (!ranges_.empty())
        draw_in_memory(random, draw);
    else {
        const std::size_t dot = site_->of.find('.');
        draw.fault.flips.emplace_back(faults::StateBit{
            site_->of.substr(0, dot), site_->of.substr(dot + 1), random.below(bits_)});
    }
    return draw;
}

void Domain::draw_piece(Random& random, Draw& draw) const
{
    std::uint64_t number = random.below(bits_);
    auto chosen = pieces_.begin();
    for (; number >= chosen->bits.size(); ++chosen)
        number -= chosen->bits.size();
    const std::uint64_t choice = random.below(UINT64_MAX);
    draw.part = chosen->piece.name;
    const std::vector<unsigned> one{chosen->bits[number]};
    for (const unsigned bit : site_->together ? chosen->bits : one)
        if (site_->kind == PlaceKind::Register)
            draw.fault.flips.emplace_back(
                faults::RegisterBit{site_->of + "." + chosen->piece.name, bit});
        else
            draw.fault.flips.emplace_back(faults::DescriptorBit{
                site_->of, choice, static_cast<unsigned>(chosen->piece.first) + bit});
}

void Domain::draw_in_memory(Random& random, Draw& draw) const
{
    const faults::BitAt drawn = faults::bit_at(ranges_, random.below(bits_));
    const std::uint64_t element_bytes = site_->element_bits / 8;
    const std::uint64_t element = drawn.address / element_bytes * element_bytes;
    if (site_->has_element)
        draw.part = std::to_string(8 * (drawn.address - element) + drawn.bit);
    if (!site_->together) {
        draw.fault.flips.emplace_back(drawn);
        return;
    }
    draw.part.clear();
    for (const unsigned bit : site_->bits)
        draw.fault.flips.emplace_back(faults::BitAt{element + bit / 8, bit % 8});
}

} // namespace levee::campaign
