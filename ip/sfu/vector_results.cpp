// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_results.hpp"

#include "core/command/decision_statistics.hpp"
#include "core/command/view.hpp"
#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <cstring>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

} // namespace

void VectorResults::open(Operation& operation)
{
    const auto scale_stride = std::to_array(op_.out_scale_stride);
    const bool stored = op_.out != 0;
    const bool scaled = stored && !op_.is_pick() && op_.is_quantised();
    const bool parts = op_.writes_running();
    out_ = {{op_.out, std::to_array(op_.out_stride), op_.out_bytes()},
            stored && !op_.streams_out(),
            op_.scatters_out()};
    scale_ = {{op_.out_scale, scale_stride, sizeof(float)}, scaled, op_.has(LEVEE_SFU_SCATTER)};
    running_ = {running_rows(op_), parts};
    keep_ = {{op_.bias, scale_stride, sizeof(float)}, parts};
    open_result(operation, out_, operation_field(offsetof(Op, out)));
    if (op_.streams_out())
        queue_.produce(operation, op_.out, operation_field(offsetof(Op, out)));
    if (op_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op_.tap - 1), operation_field(offsetof(Op, tap)));
    open_result(operation, scale_, operation_field(offsetof(Op, out_scale)));
    open_result(operation, running_, operation_field(offsetof(Op, gain)));
    open_result(operation, keep_, operation_field(offsetof(Op, bias)));
}

void VectorResults::open_result(Operation& operation, Result& result, std::uint32_t field)
{
    if (!result.given)
        return;
    if (!result.scattered) {
        result.open(queue_, op_, operation, Direction::Write, field);
        result.tracked = queue_.timing_only() && queue_.tracks(result.address);
    } else if (!op_.has(LEVEE_SFU_ROW_WORDS)) {
        open_groups(operation, result, field);
    } else if (draws(queue_)) {
        open_expected(operation, result, field);
    } else {
        open_placed(operation, result, field);
    }
}

/// Opens results whose groups of rows are placed by a table. Functional runs check every place,
/// timing-only runs only the least and the greatest. The stream has the pattern of consecutive
/// groups, starting at the table's least entry.
void VectorResults::open_groups(Operation& operation, Result& result, std::uint32_t field)
{
    const RowSpread written = spread_groups(result);
    if (written.rows == 0)
        return;
    if (queue_.timing_only()) {
        AccessPattern ends = written.ends();
        ends.count[1] = ends.count[2];
        ends.stride[1] = ends.stride[2];
        ends.count[2] = op_.rows;
        ends.stride[2] = result.stride[2];
        queue_.check_write(ends, field);
        result.tracked = queue_.tracks(written.least);
    } else {
        for (std::size_t i = 0; i < op_.groups(); ++i)
            for_each_written(result, i, [&](const AccessPattern& rows, std::size_t) {
                queue_.check_write(rows, field);
            });
    }
    VectorRows displaced = result;
    displaced.address = offset_by(result.address, result.stride[2], tables_.least_scatter());
    displaced.open(queue_, op_, operation, Direction::Write, field, op_.groups() - written.rows);
}

/// Returns the range and number of the groups' first output rows, for groups that are written.
RowSpread VectorResults::spread_groups(const Result& result) const
{
    RowSpread spread{0, result.bytes};
    const std::uint32_t* scatter = tables_.scatters().data();
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        std::uint64_t base = offset_by(result.address, result.stride[0], o0);
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1, ++scatter) {
            if (*scatter != LEVEE_SFU_SKIP)
                spread.add(offset_by(base, result.stride[2], *scatter));
            base = offset_by(base, result.stride[1], 1);
        }
    }
    return spread;
}

/// Opens results of ROW_WORDS, where a table gives the place of each row.
void VectorResults::open_placed(Operation& operation, Result& result, std::uint32_t field)
{
    rows_.row_bytes = result.bytes;
    rows_.addresses.clear();
    for (std::size_t i = 0; i < op_.groups(); ++i)
        for_each_written(result, i, [this](const AccessPattern& row, std::size_t) {
            rows_.addresses.push_back(row.address);
        });
    queue_.add_rows(operation, Direction::Write, rows_, rows_.bytes(), field);
    result.tracked =
        queue_.timing_only() && !rows_.empty() && queue_.tracks(rows_.addresses.front());
}

/// Opens results in a statistical run, which has no table. The expected number of rows is spread
/// over the whole range of addresses.
void VectorResults::open_expected(Operation& operation, const Result& result, std::uint32_t field)
{
    AccessPattern loops = contiguous(result.address, result.bytes);
    loops.count = {op_.outer[0], op_.outer[1], op_.rows};
    std::copy_n(result.stride.begin(), 3, loops.stride.begin());
    const double rows = queue_.decisions().statistics->holders * static_cast<double>(op_.vectors());
    const RowSpread spread = RowSpread::over(loops, static_cast<std::uint64_t>(rows + 0.5));
    queue_.add_spread(operation, Direction::Write, spread, spread.bytes(), field);
}

void VectorResults::for_each_written(const Result& result, std::size_t index, auto visit) const
{
    const Group group = tables_.group(index);
    if (!result.scattered) {
        visit(result.of(group, op_.rows), std::size_t{0});
        return;
    }
    if (!op_.has(LEVEE_SFU_ROW_WORDS)) {
        if (group.scatter != LEVEE_SFU_SKIP)
            visit(result.of(group, op_.rows, group.scatter), std::size_t{0});
        return;
    }
    for (std::size_t row = 0; row < op_.rows; ++row)
        if (const std::uint32_t target = tables_.row_targets()[index * op_.rows + row];
            target != LEVEE_SFU_SKIP)
            visit(result.of(group, 1, target), row * result.bytes);
}

void VectorResults::make_room()
{
    const std::size_t vectors = op_.vectors();
    packed_.resize(vectors * op_.out_bytes());
    scales_.resize(vectors);
    tap_.assign(op_.tap != 0 ? vectors * op_.tap_elements() : 0, 0.0f);
    runnings_.assign(vectors, {-kInfinity, 0.0f});
    factors_.resize(vectors);
}

std::span<float> VectorResults::tap(std::size_t vector)
{
    const std::size_t elements = op_.tap_elements();
    return tap_.empty() ? std::span<float>() : std::span(tap_).subspan(vector * elements, elements);
}

/// Stores a result and counts FP32 values that exceed the range of FP16.
void VectorResults::store(std::size_t vector, std::span<const float> result)
{
    overflows_.count(result);
    if (op_.out == 0)
        return;
    std::uint8_t* const packed = packed_.data() + vector * op_.out_bytes();
    if (op_.out_type == LEVEE_TYPE_FP16) {
        const std::span halves(reinterpret_cast<std::uint16_t*>(packed), op_.n);
        std::transform(result.begin(), result.end(), halves.begin(), fp32_to_fp16);
        overflows_.count(halves);
    } else if (op_.out_type == LEVEE_TYPE_INT16) {
        scales_[vector] = quantise(result, {reinterpret_cast<std::int16_t*>(packed), op_.n});
    } else if (op_.out_type == LEVEE_TYPE_INT8) {
        scales_[vector] = quantise8(result, {reinterpret_cast<std::int8_t*>(packed), op_.n});
    } else if (op_.out_type == LEVEE_TYPE_INT4) {
        codes_.resize(op_.n);
        scales_[vector] = quantise4(result, codes_);
        pack_int4(codes_, packed);
    } else {
        std::memcpy(packed, result.data(), op_.out_bytes());
    }
}

void VectorResults::store(std::size_t vector, const levee_sfu_pick& pick)
{
    std::memcpy(packed_.data() + vector * op_.out_bytes(), &pick, sizeof pick);
}

void VectorResults::finish(Operation& operation)
{
    operation.iterations = static_cast<std::uint32_t>(op_.groups());
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        if (op_.is_pick())
            write_picks(first, last);
        else
            write_groups(first, last);
    };
    if (op_.tap != 0 || op_.streams_out())
        operation.stream_elements = op_.vectors() * op_.tap_elements();
    if (!op_.streams_out()) {
        operation.stream.swap(tap_);
    } else if (!queue_.timing_only()) {
        operation.stream.resize(op_.vectors() * op_.n);
        std::memcpy(operation.stream.data(), packed_.data(), packed_.size());
    }
}

void VectorResults::write_groups(std::uint32_t first, std::uint32_t last)
{
    if (queue_.timing_only() && !out_.tracked && !scale_.tracked && !running_.tracked &&
        !keep_.tracked)
        return;
    for (std::uint32_t i = first; i < last; ++i) {
        const std::size_t vector = std::size_t{i} * op_.rows;
        write(out_, i, payload_of(packed_, vector * op_.out_bytes()));
        write(scale_, i, payload_of(scales_, vector));
        write(running_, i, payload_of(runnings_, vector));
        write(keep_, i, payload_of(factors_, vector));
    }
}

void VectorResults::write(const Result& result, std::uint32_t group, const void* packed)
{
    if (!result.given || (packed == nullptr && !result.tracked))
        return;
    const auto* const from = static_cast<const std::uint8_t*>(packed);
    for_each_written(result, group, [&](const AccessPattern& rows, std::size_t offset) {
        queue_.write(rows, from == nullptr ? nullptr : from + offset);
    });
}

/// Writes picks, which are decisions. Statistical runs always pick token 0.
void VectorResults::write_picks(std::uint32_t first, std::uint32_t last)
{
    const bool statistical = draws(queue_);
    if (queue_.timing_only() && !statistical) {
        queue_.replay(first, last);
        return;
    }
    if (statistical && op_.has(LEVEE_SFU_ROW_WORDS))
        return; // Without a table, the place is unknown.
    const std::size_t bytes = op_.rows * op_.out_bytes();
    if (statistical)
        packed_.assign(op_.groups() * bytes, 0);
    Decision decision;
    for (std::uint32_t i = first; i < last; ++i)
        for_each_written(out_, i, [&](const AccessPattern& rows, std::size_t offset) {
            const std::uint8_t* const from = packed_.data() + i * bytes + offset;
            decision.writes.push_back({rows, {from, from + rows.bytes()}, i});
        });
    queue_.decide(std::move(decision));
}

} // namespace levee::sfu
