// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/driver.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace levee::veda {

namespace {

// Cycles in which nothing moves after which nothing is expected to come any more: more than any
// pattern of gates holds everything still.
constexpr std::uint64_t patience = 2000;

std::string hex(std::uint32_t value)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", value);
    return text.data();
}

std::string word(bool value)
{
    return value ? "1" : "0";
}

} // namespace

Driver::Driver(Pins& pins, bool compare_cycles)
    : pins_(pins), boundary_(pins.shape()), follows_(compare_cycles), due_(pins.shape().arrays)
{
}

void Driver::begin()
{
    begun_ = last_result_ = cycles_;
    product_ = 0;
}

void Driver::run(const Configuration& configuration, std::span<const Product> side_by_side,
                 std::span<const std::vector<std::uint32_t>> expected)
{
    BeatSource source(pins_.shape(), configuration, side_by_side);
    while (!value_ && source.next(beat_)) {
        bool is_offered = false;
        for (std::uint64_t waited = 0; !value_; ++waited) {
            const unsigned open = gates();
            is_offered = is_offered || (open & 1u) != 0;
            if (step(is_offered ? &beat_ : nullptr, (open & 2u) != 0)) {
                note_due(beat_, expected);
                break;
            }
            if (waited > patience)
                give_up("ready_o");
        }
    }
    ++product_;
}

void Driver::drain()
{
    for (std::uint64_t waited = 0; !value_ && is_anything_due(); ++waited) {
        step(nullptr, (gates() & 2u) != 0);
        if (waited > patience)
            give_up("valid_o");
    }
}

void Driver::reset()
{
    pins_.reset();
    boundary_.reset();
    for (auto& array : due_)
        array.clear();
}

/// One cycle; true if `beat` is taken at its end.
bool Driver::step(const Beat* beat, bool take_result)
{
    const Inputs in{beat, take_result};
    const Outputs out = pins_.settle(in);
    if (follows_)
        compare_boundary(in, out);
    ++cycles_;
    if (out.has_result && take_result)
        collect(out);
    pins_.edge();
    if (follows_)
        boundary_.edge(in);
    return beat != nullptr && out.takes_beat;
}

/// All arrays have results of outer, though the first one's target is for all where they are one.
void Driver::note_due(const Beat& beat, std::span<const std::vector<std::uint32_t>> expected)
{
    const bool outer = beat.configuration.mode == Mode::Outer;
    const bool split = beat.configuration.split;
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if ((beat.last >> i & 1u) == 0 || !(outer || split || i == 0))
            continue;
        Due due{beat.target[i], outer, nullptr, {}};
        if (due.target.count > 0 && !expected.empty())
            due.expected = expected[i].data() + due.target.n;
        due.where = "group " + std::to_string(product_) + ", array " + std::to_string(i);
        due_[i].push_back(std::move(due));
    }
}

void Driver::compare_boundary(const Inputs& in, const Outputs& out)
{
    const Outputs want = boundary_.settle(in);
    ++comparisons_;
    const auto compare = [&](const char* signal, std::uint32_t wanted, std::uint32_t got) {
        if (wanted != got)
            differ(cycle_, Difference::Kind::Cycle, signal, "group " + std::to_string(product_),
                   std::to_string(wanted), std::to_string(got));
    };
    if (in.beat != nullptr)
        compare("ready_o", want.takes_beat, out.takes_beat);
    compare("valid_o", want.has_result, out.has_result);
    if (want.has_result && out.has_result) {
        compare("outer_o", want.outer, out.outer);
        compare("en_o", want.enabled, out.enabled);
    }
    follows_ = !cycle_;
}

void Driver::collect(const Outputs& out)
{
    last_result_ = cycles_;
    has_result_.assign(pins_.shape().lanes(), false);
    if (out.enabled == 0)
        differ(value_, Difference::Kind::Value, "en_o", "with a result", "some array", "none");
    for (std::size_t i = 0; i < due_.size(); ++i) {
        if ((out.enabled >> i & 1u) == 0)
            continue;
        if (due_[i].empty())
            return differ(value_, Difference::Kind::Value, "en_o",
                          "array " + std::to_string(i) + " without a sum that has ended", "0", "1");
        const Due due = std::move(due_[i].front());
        due_[i].pop_front();
        if (due.outer != out.outer)
            return differ(value_, Difference::Kind::Value, "outer_o", due.where, word(due.outer),
                          word(out.outer));
        const std::size_t first_lane = i * pins_.shape().array_lanes();
        const std::uint32_t* const lane = out.lane + first_lane;
        std::fill_n(has_result_.begin() + static_cast<std::ptrdiff_t>(first_lane), due.target.count,
                    true);
        std::copy_n(lane, due.target.count, due.target.out);
        if (due.expected != nullptr)
            compare(due, i, lane);
    }
    for (std::size_t i = 0; i < has_result_.size(); ++i)
        if (!has_result_[i] && out.lane[i] != 0)
            return differ(value_, Difference::Kind::Value, "result_o, lane " + std::to_string(i),
                          "where there is no result", hex(0), hex(out.lane[i]));
}

void Driver::compare(const Due& due, std::size_t array, const std::uint32_t* lane)
{
    for (std::uint32_t i = 0; i < due.target.count; ++i) {
        ++comparisons_;
        if (lane[i] != due.expected[i])
            return differ(value_, Difference::Kind::Value,
                          "result_o, lane " +
                              std::to_string(array * pins_.shape().array_lanes() + i),
                          due.where + ", n = " + std::to_string(due.target.n + i),
                          hex(due.expected[i]), hex(lane[i]));
    }
}

void Driver::differ(std::optional<Difference>& difference, Difference::Kind kind,
                    std::string signal, std::string where, std::string expected, std::string got)
{
    if (!difference)
        difference = Difference{kind,
                                std::move(signal),
                                std::move(where),
                                cycles_ - begun_,
                                std::move(expected),
                                std::move(got)};
}

bool Driver::is_anything_due() const
{
    return std::any_of(due_.begin(), due_.end(), [](const auto& array) { return !array.empty(); });
}

void Driver::give_up(const char* signal)
{
    differ(value_, Difference::Kind::Value, signal, "group " + std::to_string(product_),
           "1 at some time", "nothing moved for " + std::to_string(patience) + " cycles");
}

std::optional<Difference> Driver::outstanding()
{
    if (is_anything_due())
        return Difference{Difference::Kind::Value,  "valid_o", "when idle", 0, "1 for results due",
                          "results are outstanding"};
    // As many as a result could take.
    constexpr std::uint64_t cycles = 16;
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
        if (pins_.settle({nullptr, false}).has_result)
            return Difference{Difference::Kind::Value, "valid_o", "when idle", cycle, "0", "1"};
        pins_.edge();
        if (follows_)
            boundary_.edge({nullptr, false});
    }
    return std::nullopt;
}

} // namespace levee::veda
