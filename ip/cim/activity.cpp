// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/activity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace levee::cim {

namespace {

/// Returns the number of tokens that a new token attends to, including itself, summed over the new
/// tokens.
double seen_of(const Work& work)
{
    const auto pairs = [](double t) { return t * (t + 1) / 2; };
    return pairs(static_cast<double>(work.before + work.tokens)) -
           pairs(static_cast<double>(work.before));
}

} // namespace

KvBytes kv_bytes(const Shape& shape, const Compression& compression, const Reading& reading,
                 std::uint32_t levels)
{
    const auto elements = static_cast<double>(shape.kv_elements());
    const auto needed = static_cast<unsigned>(std::bit_width(std::max(levels, 1u) - 1));
    const unsigned label_bits = reading.labels_needed ? needed : 1;
    const double survivors = elements * (1 - compression.pruned);
    KvBytes bytes;
    bytes.codes = ceil_of(elements * (1 - compression.zeros) * compression.bits / 8);
    bytes.index = ceil_of(elements / 8);
    bytes.labels = ceil_of(survivors * label_bits / 8);
    bytes.stored = ceil_of(survivors) + 2 * bytes.index + bytes.codes + bytes.labels;
    return bytes;
}

Accounts::Accounts(const Units& units, const Shape& shape, const Compression* compression,
                   const Reading& reading, std::uint32_t input_bytes)
    : units_(units), shape_(shape), compression_(compression ? *compression : Compression{}),
      compressed_(compression != nullptr), reading_(reading), input_bytes_(input_bytes),
      timing_(units, shape, compression, reading)
{
}

/// Cycles for which the units of each kind are busy.
ByKind<double> Accounts::busy_of(const Work& work) const
{
    ByKind<double> busy{};
    if (reading_.sample() != 0) {
        const ByKind<std::uint64_t> sample = timing_.sample_busy();
        for (std::size_t kind = 0; kind < kinds; ++kind)
            busy[kind] = static_cast<double>(sample[kind]) * static_cast<double>(work.tokens) /
                         reading_.sample();
        return busy;
    }
    const ByKind<std::uint64_t> operations = timing_.operations(work), cycles = timing_.cycles();
    for (std::size_t kind = 0; kind < kinds; ++kind)
        busy[kind] = static_cast<double>(operations[kind] * cycles[kind]);
    return busy;
}

void Accounts::add_products(const Work& work, Activity& activity) const
{
    struct Product {
        Kind kind;
        std::uint64_t inputs, outputs;
    };
    const std::uint64_t query = std::uint64_t{shape_.heads} * shape_.head_dim;
    const std::uint64_t key = shape_.kv_elements() / 2;
    const Product products[] = {{Kind::Query, shape_.dim, query},
                                {Kind::Key, shape_.dim, key},
                                {Kind::Value, shape_.dim, key},
                                {Kind::Output, query, shape_.dim},
                                {Kind::Expand, shape_.dim, shape_.feed_forward},
                                {Kind::Contract, shape_.inner, shape_.dim}};
    const ByKind<double> busy = busy_of(work);
    ByKind<double> adding{};
    if (reading_.sample() != 0) {
        const ByKind<std::uint64_t> sample = timing_.sample_accumulators();
        for (std::size_t kind = 0; kind < kinds; ++kind)
            adding[kind] = static_cast<double>(sample[kind]) * static_cast<double>(work.tokens) /
                           reading_.sample();
    } else {
        adding.fill(static_cast<double>(work.tokens * units_.accumulator_cycles));
    }
    for (const Product& product : products) {
        const auto macros = static_cast<double>(units_.macros(product.inputs, product.outputs));
        activity.macros += macros * busy[at(product.kind)];
        activity.accumulators += static_cast<double>(product.outputs) * adding[at(product.kind)];
        activity.macs += work.tokens * product.inputs * product.outputs;
    }
}

void Accounts::add_engines(const LayerWork& work, const ByKind<double>& busy,
                           Activity& activity) const
{
    const double left = compressed_ ? 1 - compression_.pruned : 1;
    const double restored = compressed_ ? 1 - compression_.restored : 1;
    const double scores = busy[at(Kind::Scores)] * units_.keys.count;
    const double mix = busy[at(Kind::Mix)] * units_.values.count;
    const std::uint64_t lanes = units_.keys.elements;
    const std::uint64_t rounds = (shape_.head_dim + lanes - 1) / lanes;
    activity.engines_on += scores + mix;
    activity.engines_active +=
        scores * shape_.head_dim / static_cast<double>(lanes * rounds) * left;
    if (reading_.sample() != 0) {
        const auto final = static_cast<double>(
            work.final_tokens != 0 ? work.final_tokens : work.work.before + work.work.tokens);
        const double share = final / units_.values.elements;
        activity.engines_active += mix * (share < 1 ? share : 0.5) * restored;
        return;
    }
    const std::uint64_t heads = (shape_.heads + units_.values.count - 1) / units_.values.count;
    activity.engines_active += seen_of(work.work) / units_.values.elements * shape_.head_dim *
                               static_cast<double>(heads) * units_.values.cycles *
                               units_.values.count * restored;
}

void Accounts::add_functions(const LayerWork& work, Activity& activity) const
{
    const ByKind<double> busy = busy_of(work.work);
    const auto units = [&](Kind kind, const Unit& unit) { return busy[at(kind)] * unit.count; };
    add_engines(work, busy, activity);
    activity.norm += units(Kind::Norm1, units_.norm) + units(Kind::Norm2, units_.norm);
    activity.softmax += units(Kind::Softmax, units_.softmax);
    activity.activation += units(Kind::Activate, units_.activation);
    activity.rotation += units(Kind::Rotate, units_.rotation);
    activity.pruning += units(Kind::Prune, units_.pruning);
    const double quantising = units(Kind::Quantise, units_.quantisation);
    activity.quantisation_on += quantising;
    activity.quantisation_active +=
        quantising * (reading_.quantiser_once ? 1 : 1 - compression_.pruned);
    const double restoring = units(Kind::Dequantise, units_.dequantisation);
    activity.dequantisation_on += restoring;
    // If only non-zero codes are dequantised, every operation counts as active.
    activity.dequantisation_active +=
        restoring * (reading_.dequantises_codes ? 1 : 1 - compression_.zeros);
}

std::uint64_t Accounts::off_chip_cycles(std::uint64_t bytes) const
{
    const double rate =
        units_.off_chip_bits_per_cycle * (reading_.off_chip_timed ? 1 : reading_.off_chip_factor);
    return bytes == 0 ? 0 : ceil_of(static_cast<double>(bytes) * 8 / rate);
}

std::uint64_t Accounts::input_bytes(const LayerWork& work) const
{
    if (work.work.before != 0 && reading_.sample() != 0)
        return 0; // In a sample, reading the embedding is counted with the prompt.
    return work.first || !reading_.inputs_once ? work.work.tokens * shape_.dim * input_bytes_ : 0;
}

void Accounts::add_buffers(const LayerWork& work, Activity& activity) const
{
    const std::uint64_t tokens = work.work.tokens, before = work.work.before;
    activity.buffer_on += static_cast<double>(off_chip_cycles(input_bytes(work)));
    if (!compressed_) {
        const std::uint64_t row = shape_.kv_elements() * 2; // INT16 elements
        activity.kv_bytes += (tokens + before) * row;
        activity.buffer_on += static_cast<double>(off_chip_cycles((tokens + before) * row));
        return;
    }
    const KvBytes one = kv_bytes(shape_, compression_, reading_, work.levels);
    activity.kv_bytes += (tokens + before) * one.moved();
    add_stored(work, one, activity);
    for (const std::uint64_t part : {one.codes, one.index, one.labels})
        activity.buffer_on += static_cast<double>(off_chip_cycles(before * part));
    add_scales(work, activity);
}

/// Counts accesses to the global buffer for the new tokens' rows, and for earlier rows that are
/// read again.
void Accounts::add_stored(const LayerWork& work, const KvBytes& one, Activity& activity) const
{
    const std::uint64_t tokens = work.work.tokens, before = work.work.before;
    const std::uint64_t survivors = one.stored - 2 * one.index - one.codes - one.labels;
    const std::uint64_t stored = tokens * one.stored;
    activity.stored_bytes +=
        stored + (reading_.buffers_read ? stored + 2 * before * one.moved() : 0);
    // With a sample (units.hpp, Reading), each part of the rows is written for all tokens in one
    // transfer.
    const bool at_once = reading_.sample() != 0 && work.final_tokens != 0;
    const std::uint64_t written = !at_once ? tokens : before == 0 ? work.final_tokens : 0;
    const double rate = units_.buffer_bits_per_cycle;
    for (const std::uint64_t part : {survivors, one.index, one.codes, one.index, one.labels})
        activity.buffer_on +=
            static_cast<double>(ceil_of(static_cast<double>(written * part) * 8 / rate));
    for (const std::uint64_t part : {one.codes, one.index, one.labels})
        activity.buffer_on += static_cast<double>(off_chip_cycles(written * part));
}

/// Counts scales and zeros of new quantisation levels.
void Accounts::add_scales(const LayerWork& work, Activity& activity) const
{
    const std::uint64_t levels =
        work.levels > work.levels_before ? work.levels - work.levels_before : 0;
    const std::uint64_t entries = levels * shape_.kv_elements();
    activity.scale_stored_bytes += entries;
    activity.scale_buffer_on += static_cast<double>(
        ceil_of(static_cast<double>(entries) * units_.scale_bits / units_.buffer_bits_per_cycle));
}

Activity Accounts::packing(const LayerWork& work) const
{
    Activity activity;
    const ByKind<std::uint64_t> n = timing_.operations(work.work), each = timing_.cycles();
    const auto busy = [&](Kind kind, const Unit& unit) {
        return static_cast<double>(n[at(kind)] * each[at(kind)]) * unit.count;
    };
    activity.pruning = busy(Kind::Prune, units_.pruning);
    activity.quantisation_on = activity.quantisation_active =
        busy(Kind::Quantise, units_.quantisation);
    const std::uint64_t vectors = work.work.tokens * shape_.kv_elements() * 2; // INT16 elements
    activity.buffer_on += static_cast<double>(off_chip_cycles(vectors));
    add_stored(work, kv_bytes(shape_, compression_, reading_, work.levels), activity);
    add_scales(work, activity);
    return activity;
}

Activity Accounts::activity(const LayerWork& work) const
{
    Activity activity;
    add_products(work.work, activity);
    add_functions(work, activity);
    add_buffers(work, activity);
    return activity;
}

std::array<std::uint64_t, 6> Accounts::matrices() const
{
    const std::uint64_t dim = shape_.dim, query = std::uint64_t{shape_.heads} * shape_.head_dim,
                        key = shape_.kv_elements() / 2;
    const std::uint64_t expand = dim * shape_.feed_forward;
    const bool full = expand >= units_.global_buffer_bytes && !reading_.buffer_holds_its_size;
    return {dim * query, dim * key, dim * key, query * dim, expand, full ? 0 : shape_.inner * dim};
}

std::uint64_t Accounts::loaded_bytes() const
{
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : matrices())
        sum += bytes;
    return sum;
}

double Accounts::loading_cycles() const
{
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : matrices())
        sum += off_chip_cycles(bytes);
    return static_cast<double>(sum);
}

} // namespace levee::cim
