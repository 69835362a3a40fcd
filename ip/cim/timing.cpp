// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/timing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace levee::cim {

namespace {

constexpr std::uint64_t up(std::uint64_t amount, std::uint64_t unit)
{
    return (amount + unit - 1) / unit;
}

constexpr bool is_product(std::size_t kind)
{
    return kind == at(Kind::Query) || kind == at(Kind::Key) || kind == at(Kind::Value) ||
           kind == at(Kind::Output) || kind == at(Kind::Expand) || kind == at(Kind::Contract);
}

/// Sum of ceil(t / step) for t from 1 to n.
std::uint64_t sum_up(std::uint64_t n, std::uint64_t step)
{
    const std::uint64_t whole = n / step, rest = n % step;
    return step * whole * (whole + 1) / 2 + rest * (whole + 1);
}

} // namespace

std::uint64_t ceil_of(double amount)
{
    return static_cast<std::uint64_t>(std::ceil(amount - 1e-9 * std::max(1.0, amount)));
}

std::uint64_t Units::macros(std::uint64_t inputs, std::uint64_t outputs) const
{
    return up(inputs, macro_inputs) * up(outputs, macro_outputs);
}

std::uint64_t Units::macros() const
{
    return 4 * macros(hidden, hidden) + macros(hidden, feed_forward) + macros(feed_forward, hidden);
}

std::uint64_t Units::accumulators() const
{
    return std::uint64_t{5} * hidden + feed_forward;
}

std::uint64_t Units::weights() const
{
    return macros() * macro_inputs * macro_outputs;
}

Timing::Timing(const Units& units, const Shape& shape, const Compression* compression,
               const Reading& reading)
    : units_(units), shape_(shape), compression_(compression ? *compression : Compression{}),
      compressed_(compression != nullptr), reading_(reading)
{
}

ByKind<std::uint64_t> Timing::cycles() const
{
    ByKind<std::uint64_t> cycles{};
    for (std::size_t kind = 0; kind < kinds; ++kind)
        if (is_product(kind))
            cycles[kind] = units_.macro_cycles;
    cycles[at(Kind::Norm1)] = cycles[at(Kind::Norm2)] = units_.norm.cycles;
    cycles[at(Kind::Rotate)] = units_.rotation.cycles;
    cycles[at(Kind::Prune)] = units_.pruning.cycles;
    cycles[at(Kind::Quantise)] = units_.quantisation.cycles;
    cycles[at(Kind::Dequantise)] = units_.dequantisation.cycles;
    cycles[at(Kind::Scores)] = units_.keys.cycles;
    cycles[at(Kind::Softmax)] = units_.softmax.cycles;
    cycles[at(Kind::Mix)] = units_.values.cycles;
    cycles[at(Kind::Activate)] = units_.activation.cycles;
    return cycles;
}

/// Returns the number of a unit's operations on a token's keys and values, without the fraction
/// `share_gone` of elements that sparsity removes.
std::uint64_t Timing::rows_of(double share_gone, const Unit& unit) const
{
    const double left = static_cast<double>(shape_.kv_elements()) * (1.0 - share_gone);
    return up(ceil_of(left / unit.count), unit.elements);
}

ByKind<std::uint64_t> Timing::operations(const Work& work) const
{
    ByKind<std::uint64_t> n{};
    const std::uint64_t after = work.before + work.tokens;
    const std::uint64_t passes = up(up(shape_.dim, units_.norm.count), units_.norm.elements);
    for (std::size_t kind = 0; kind < kinds; ++kind)
        if (is_product(kind))
            n[kind] = work.tokens;
    n[at(Kind::Norm1)] = n[at(Kind::Norm2)] = work.tokens * passes;
    if (shape_.rotated && units_.rotation.count != 0) // All units rotate a token's queries and keys
                                                      // together.
        n[at(Kind::Rotate)] =
            work.tokens * up(std::uint64_t{shape_.heads + shape_.kv_heads} * shape_.head_dim,
                             std::uint64_t{units_.rotation.count} * units_.rotation.elements);
    if (compressed_) {
        const double cached = reading_.dequantises_codes ? compression_.zeros : compression_.pruned;
        n[at(Kind::Prune)] = work.tokens * rows_of(0, units_.pruning);
        n[at(Kind::Quantise)] = work.tokens * rows_of(compression_.pruned, units_.quantisation);
        n[at(Kind::Dequantise)] = work.before * rows_of(cached, units_.dequantisation);
    }
    // Each new token attends to itself and all earlier tokens: before + 1 tokens for the first,
    // before + tokens for the last.
    const auto pairs = [](std::uint64_t t) { return t * (t + 1) / 2; };
    const auto rounds = [this](const Unit& unit) { return up(shape_.heads, unit.count); };
    n[at(Kind::Scores)] = (pairs(after) - pairs(work.before)) * rounds(units_.keys) *
                          up(shape_.head_dim, units_.keys.elements);
    const std::uint64_t step = units_.softmax.elements, lanes = units_.values.elements;
    n[at(Kind::Softmax)] =
        (sum_up(after, step) - sum_up(work.before, step)) * rounds(units_.softmax);
    n[at(Kind::Mix)] = (sum_up(after, lanes) - sum_up(work.before, lanes)) * shape_.head_dim *
                       rounds(units_.values);
    n[at(Kind::Activate)] = work.tokens * up(shape_.inner, std::uint64_t{units_.activation.count} *
                                                               units_.activation.elements);
    return n;
}

/// Counts the operations of the sample: one pass for its prompt, and one for each later token. Each
/// token except the last causes dequantisation of the tokens cached before it.
static ByKind<std::uint64_t> sample_operations(const Timing& timing, const Reading& reading)
{
    ByKind<std::uint64_t> sum = timing.operations({reading.sample_prompt, 0});
    for (std::uint64_t i = 0; i < reading.sample_generated; ++i) {
        const ByKind<std::uint64_t> one = timing.operations({1, reading.sample_prompt + i});
        for (std::size_t kind = 0; kind < kinds; ++kind)
            sum[kind] += one[kind];
    }
    return sum;
}

/// For a sample: the cycle in which the first operation of each kind is issued, and the end cycle.
struct Issue {
    ByKind<std::uint64_t> start{};
    std::uint64_t end = 0;
};

static Issue issue(const ByKind<std::uint64_t>& operations, const ByKind<std::uint64_t>& cycles,
                   const Units& units, bool awaited)
{
    Issue issue;
    std::uint64_t now = 1; // One input cycle.
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        issue.start[kind] = now;
        if (operations[kind] == 0)
            continue;
        now += (operations[kind] - 1) * (cycles[kind] + 1) + 1;
        now += awaited ? cycles[kind] : 0;
    }
    // The last product is complete when its accumulators have finished.
    issue.end = now + (awaited ? 0 : units.accumulator_cycles);
    return issue;
}

std::uint64_t Timing::sample_cycles() const
{
    return issue(sample_operations(*this, reading_), cycles(), units_, reading_.operands_awaited)
        .end;
}

/// Returns the number of cycles before `end` in which `operations` operations are busy. The first
/// starts at `start`, the others one per period, and each takes `cycles`.
static std::uint64_t until(std::uint64_t end, std::uint64_t start, std::uint64_t operations,
                           std::uint64_t period, std::uint64_t cycles)
{
    if (end <= start)
        return 0;
    const std::uint64_t whole = std::min(operations, (end - start) / period);
    const std::uint64_t rest = whole < operations ? (end - start) % period : 0;
    return whole * cycles + std::min(rest, cycles);
}

static ByKind<std::uint64_t> busy(const Timing& timing, const Reading& reading, const Units& units,
                                  bool accumulators)
{
    const ByKind<std::uint64_t> operations = sample_operations(timing, reading);
    const ByKind<std::uint64_t> cycles = timing.cycles();
    const Issue issued = issue(operations, cycles, units, reading.operands_awaited);
    const std::uint64_t last = issued.end + cycles[at(Kind::Contract)]; // Later than the end of
                                                                        // every operation.
    const std::uint64_t end =
        reading.log_block == 0 ? last : issued.end / reading.log_block * reading.log_block;
    ByKind<std::uint64_t> sum{};
    for (std::size_t kind = 0; kind < kinds; ++kind)
        if (!accumulators || is_product(kind))
            sum[kind] = until(end, issued.start[kind], operations[kind], cycles[kind] + 1,
                              accumulators ? units.accumulator_cycles : cycles[kind]);
    return sum;
}

ByKind<std::uint64_t> Timing::sample_busy() const
{
    return busy(*this, reading_, units_, false);
}

ByKind<std::uint64_t> Timing::sample_accumulators() const
{
    return busy(*this, reading_, units_, true);
}

std::uint64_t Timing::token_cycles() const
{
    return up(sample_cycles(), reading_.sample());
}

namespace {

/// Sums a layer's cycles by stage. With `beside`, Q, K and V are computed in parallel; otherwise
/// one after another.
std::array<std::uint64_t, stages> by_stage(const ByKind<std::uint64_t>& of, bool beside)
{
    const auto take = [&](Kind kind) { return of[at(kind)]; };
    const std::uint64_t query = take(Kind::Query), key = take(Kind::Key), value = take(Kind::Value);
    const std::uint64_t projections = beside ? std::max({query, key, value}) : query + key + value;
    return {take(Kind::Norm1),
            projections + take(Kind::Rotate) + take(Kind::Prune),
            take(Kind::Quantise),
            take(Kind::Dequantise) + take(Kind::Scores) + take(Kind::Softmax),
            take(Kind::Mix),
            take(Kind::Output) + take(Kind::Norm2),
            take(Kind::Expand) + take(Kind::Activate) + take(Kind::Contract)};
}

} // namespace

std::array<std::uint64_t, stages> Timing::stage_cycles() const
{
    ByKind<std::uint64_t> share = sample_busy();
    const std::uint64_t sum = std::accumulate(share.begin(), share.end(), std::uint64_t{0});
    for (std::uint64_t& one : share)
        one = up(token_cycles() * one, sum);
    return by_stage(share, reading_.projections_beside);
}

double Timing::sequential(const Work& work) const
{
    if (reading_.sample() != 0)
        return static_cast<double>(sample_cycles()) * static_cast<double>(work.tokens) /
               reading_.sample();
    const ByKind<std::uint64_t> n = operations(work), each = cycles();
    std::int64_t sum = 1; // All tokens of a pass together take one input cycle.
    for (std::size_t kind = 0; kind < kinds; ++kind)
        sum += static_cast<std::int64_t>(n[kind] * (each[kind] + 1));
    if (!reading_.operands_awaited && work.before == 0) { // Nothing waits for the last operation of
                                                          // each kind, so its cycles do not count.
        for (std::size_t kind = 0; kind < kinds; ++kind)
            sum -= compressed_ || n[kind] != 0 ? static_cast<std::int64_t>(each[kind]) : 0;
        sum += units_.accumulator_cycles;
    }
    return static_cast<double>(std::max<std::int64_t>(sum, 1));
}

/// Returns the cycles of one token of a pass, by stage. Rows cached before the pass are dequantised
/// once, for the pass's first token.
std::array<std::uint64_t, stages> Timing::stages_of(const Work& work, std::uint64_t token) const
{
    const Work one{1, work.before + token};
    ByKind<std::uint64_t> n = operations(one);
    const ByKind<std::uint64_t> each = cycles();
    if (token != 0)
        n[at(Kind::Dequantise)] = 0;
    for (std::size_t kind = 0; kind < kinds; ++kind)
        n[kind] *= each[kind] + 1;
    return by_stage(n, reading_.projections_beside);
}

/// Returns the cycles in which the tokens pass through all stages of all layers. Each token takes
/// its own time in each stage.
std::uint64_t Timing::flow_through(const Work& work, std::uint32_t layers) const
{
    std::vector<std::uint64_t> done(std::size_t{layers} * stages, 0);
    for (std::uint64_t token = 0; token < work.tokens; ++token) {
        const std::array<std::uint64_t, stages> own = stages_of(work, token);
        std::uint64_t before = 0;
        for (std::size_t stage = 0; stage < done.size(); ++stage)
            before = done[stage] = std::max(before, done[stage]) + own[stage % stages];
    }
    return 1 + done.back(); // All tokens of a pass together take one input cycle.
}

/// Returns the cycles of the slowest stage: with a sample, for an average token; otherwise, the
/// maximum over the tokens of the pass.
std::uint64_t Timing::slowest_of(const Work& work) const
{
    std::array<std::uint64_t, stages> most{};
    if (reading_.sample() != 0)
        most = stage_cycles();
    else
        for (std::uint64_t token = 0; token < work.tokens; ++token) {
            const std::array<std::uint64_t, stages> own = stages_of(work, token);
            for (std::size_t stage = 0; stage < stages; ++stage)
                most[stage] = std::max(most[stage], own[stage]);
        }
    return *std::max_element(most.begin(), most.end());
}

double Timing::cycles_of(const Work& work, Pipeline pipeline, std::uint32_t layers) const
{
    if (pipeline == Pipeline::None)
        return layers * sequential(work);
    if (!flows(work, pipeline)) // Single tokens do not overlap.
        return layers *
               (reading_.sample() != 0 ? static_cast<double>(token_cycles()) : sequential(work));
    const bool chained = pipeline == Pipeline::InterCore;
    if (reading_.own_beats && reading_.sample() == 0)
        return chained ? static_cast<double>(flow_through(work, layers))
                       : static_cast<double>(layers * flow_through(work, 1));
    const std::uint64_t beat = slowest_of(work);
    const std::uint64_t fill = stages * beat, rest = (work.tokens - 1) * beat;
    return static_cast<double>(chained ? fill * layers + rest : (fill + rest) * layers);
}

} // namespace levee::cim
