// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/driver.hpp"

#include "ip/veda/timing.hpp"

#include <algorithm>
#include <utility>

namespace levee::veda {

namespace {

std::string hex(std::uint32_t value)
{
    return levee::hex(value, 8);
}

std::string word(bool value)
{
    return value ? "1" : "0";
}

} // namespace

Driver::Driver(Pins& pins, bool compare_cycles)
    : RtlDriver(pins, Boundary(pins.size()), compare_cycles), due_(pins.size().arrays)
{
}

void Driver::begin()
{
    RtlDriver::begin();
    begun_ = last_result_ = cycles();
    group_ = 0;
}

void Driver::run(const Configuration& configuration, std::span<const Product> side_by_side,
                 std::span<const std::vector<std::uint32_t>> expected, bool compares)
{
    compares_ = compares;
    BeatSource source(pins().size(), configuration, side_by_side);
    while (!value() && source.next(beat_)) {
        bool is_offered = false;
        bool is_taken = false;
        while (!value() && !is_taken) {
            const unsigned open = open_gates(3);
            is_offered = is_offered || (open & 1u) != 0;
            is_taken = step(is_offered ? &beat_ : nullptr, (open & 2u) != 0);
            if (is_stuck())
                give_up("ready_o", group());
        }
        if (is_taken)
            note_due(beat_, expected);
    }
    ++group_;
}

void Driver::drain()
{
    while (!value() && is_anything_due()) {
        step(nullptr, (open_gates(3) & 2u) != 0);
        if (is_stuck())
            give_up("valid_o", group());
    }
}

void Driver::reset()
{
    RtlDriver::reset();
    for (auto& array : due_)
        array.clear();
}

RtlPlace Driver::place() const
{
    RtlPlace place;
    place.tile = RtlPlace::index(group_);
    return place;
}

/// Adds the expected results to the lanes of their arrays.
void Driver::expect(const Inputs&, Outputs& out) const
{
    shown_.assign(pins().size().lanes(), 0);
    for (std::size_t i = 0; out.has_result && i < due_.size(); ++i) {
        if ((out.enabled >> i & 1u) == 0 || due_[i].empty() || due_[i].front().expected == nullptr)
            continue;
        const Due& due = due_[i].front();
        std::copy_n(due.expected, due.target.count,
                    shown_.begin() + static_cast<std::ptrdiff_t>(i * pins().size().array_lanes()));
    }
    out.lane = shown_.data();
}

/// Simulates one cycle. Returns true if `beat` is taken at its end.
bool Driver::step(const Beat* beat, bool take_result)
{
    const Inputs in{beat, take_result};
    const Outputs out = settle(in);
    const bool takes_beat = beat != nullptr && out.takes_beat;
    const bool takes_result = out.has_result && take_result;
    if (takes_result)
        collect(out);
    edge(in, takes_beat || takes_result);
    return takes_beat;
}

/// Records the results that are now due. In outer mode, every array has results. Joined arrays
/// share the target of the first array.
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
        due.where = group() + ", array " + std::to_string(i);
        due_[i].push_back(std::move(due));
    }
}

void Driver::compare_boundary(const Inputs& in, const Outputs& want, const Outputs& got)
{
    const auto compare = [&](const char* signal, std::uint32_t wanted, std::uint32_t is) {
        if (wanted != is)
            differ_in_cycle(signal, group(), std::to_string(wanted), std::to_string(is));
    };
    if (in.beat != nullptr)
        compare("ready_o", want.takes_beat, got.takes_beat);
    compare("valid_o", want.has_result, got.has_result);
    if (want.has_result && got.has_result) {
        compare("outer_o", want.outer, got.outer);
        compare("en_o", want.enabled, got.enabled);
    }
}

void Driver::collect(const Outputs& out)
{
    last_result_ = cycles() + 1;
    has_result_.assign(pins().size().lanes(), false);
    if (out.enabled == 0)
        differ_in_value("en_o", "in a cycle with a result", "at least one array", "none");
    for (std::size_t i = 0; i < due_.size(); ++i)
        if ((out.enabled >> i & 1u) != 0 && !collect_array(out, i))
            return;
    for (std::size_t i = 0; i < has_result_.size(); ++i)
        if (!has_result_[i] && out.lane[i] != 0)
            return differ_in_value("result_o, lane " + std::to_string(i), "a lane without a result",
                                   hex(0), hex(out.lane[i]));
}

/// Collects an array's results. Returns false if a difference makes the remaining values
/// meaningless.
bool Driver::collect_array(const Outputs& out, std::size_t array)
{
    if (due_[array].empty()) {
        differ_in_value("en_o", "array " + std::to_string(array) + " has no complete sum", "0",
                        "1");
        return false;
    }
    const Due due = std::move(due_[array].front());
    due_[array].pop_front();
    if (due.outer != out.outer) {
        differ_in_value("outer_o", due.where, word(due.outer), word(out.outer));
        return false;
    }
    const std::size_t first_lane = array * pins().size().array_lanes();
    const std::uint32_t* const lane = out.lane + first_lane;
    std::fill_n(has_result_.begin() + static_cast<std::ptrdiff_t>(first_lane), due.target.count,
                true);
    std::copy_n(lane, due.target.count, due.target.out);
    if (due.expected != nullptr && compares_)
        compare(due, array, lane);
    return true;
}

void Driver::compare(const Due& due, std::size_t array, const std::uint32_t* lane)
{
    for (std::uint32_t i = 0; i < due.target.count; ++i) {
        count_comparison();
        if (lane[i] != due.expected[i])
            return differ_in_value("result_o, lane " +
                                       std::to_string(array * pins().size().array_lanes() + i),
                                   due.where + ", n = " + std::to_string(due.target.n + i),
                                   hex(due.expected[i]), hex(lane[i]));
    }
}

bool Driver::is_anything_due() const
{
    return std::any_of(due_.begin(), due_.end(), [](const auto& array) { return !array.empty(); });
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.has_result ? "valid_o" : nullptr;
}

/// Returns the pipeline depth of inner mode, which is the longer path.
std::uint64_t Driver::pipeline_depth() const
{
    return fill_cycles(pins().size(), Mode::Inner);
}

std::optional<Difference> Driver::results_due() const
{
    if (!is_anything_due())
        return std::nullopt;
    return Difference{
        Difference::Kind::Value,  "valid_o", "when idle", 0, "1 until all results have left",
        "0, with results missing"};
}

} // namespace levee::veda
