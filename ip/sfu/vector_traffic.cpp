// SPDX-License-Identifier: Apache-2.0
// An operation's memory traffic: the streams it opens, and the bytes that it reads and writes.
#include "core/command/decision_statistics.hpp"
#include "core/memory/loop_nest.hpp"
#include "core/numerics/numerics.hpp"
#include "core/units/clock.hpp"
#include "ip/sfu/vector_run.hpp"

#include <algorithm>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

constexpr std::uint32_t field_x = operation_field(offsetof(Op, x));
constexpr std::uint32_t field_y = operation_field(offsetof(Op, y));
constexpr std::uint32_t field_gain = operation_field(offsetof(Op, gain));
constexpr std::uint32_t field_bias = operation_field(offsetof(Op, bias));
constexpr std::uint32_t field_out = operation_field(offsetof(Op, out));
constexpr std::uint32_t field_tap = operation_field(offsetof(Op, tap));
constexpr std::uint32_t field_out_scale = operation_field(offsetof(Op, out_scale));

} // namespace

void VectorRun::open_rows(Operation& operation, Direction direction, std::uint64_t address,
                          const std::int32_t* stride, std::uint64_t run_bytes, std::uint32_t at,
                          std::size_t skipped)
{
    const std::uint64_t bytes = (group_count() - skipped) * op_.rows * run_bytes;
    if (bytes == 0)
        return;
    const auto patterns =
        patterns_of(address, run_bytes,
                    {{op_.outer[0], stride[0]}, {op_.outer[1], stride[1]}, {op_.rows, stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size(), at);
}

void VectorRun::open_result(Operation& operation, Result& result, std::uint32_t at)
{
    if (!result.given)
        return;
    if (result.scattered && has_flag(LEVEE_SFU_ROW_WORDS)) {
        open_placed(operation, result, at);
    } else if (result.scattered) {
        open_groups(operation, result, at);
    } else {
        open_rows(operation, Direction::Write, result.address, result.stride, result.run_bytes, at);
        result.tracked = queue_.timing_only() && queue_.tracks(result.address);
    }
}

/// Places the groups' rows by a table. Functional runs check every place, timing-only runs the
/// least and the greatest. The stream is that of the rows displaced by the least entry.
void VectorRun::open_groups(Operation& operation, Result& result, std::uint32_t at)
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
        queue_.check_write(ends, at);
        result.tracked = queue_.tracks(written.least);
    } else {
        for (std::size_t i = 0; i < group_count(); ++i)
            for_each_written(result, i, [&](const AccessPattern& rows, std::size_t) {
                queue_.check_write(rows, at);
            });
    }
    open_rows(operation, Direction::Write,
              offset_by(result.address, result.stride[2], least_scatter_), result.stride,
              result.run_bytes, at, group_count() - written.rows);
}

/// First rows of the groups that are written.
RowSpread VectorRun::spread_groups(const Result& result) const
{
    RowSpread spread{0, result.run_bytes};
    const std::uint32_t* scatter = scatters_.data();
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

/// ROW_WORDS: a table gives the place of each row. Runs from statistics have no table: they spread
/// the expected number of rows over the whole extent.
void VectorRun::open_placed(Operation& operation, Result& result, std::uint32_t at)
{
    RowSpread spread;
    if (is_statistical()) {
        AccessPattern loops = contiguous(result.address, result.run_bytes);
        loops.count = {op_.outer[0], op_.outer[1], op_.rows};
        std::copy_n(result.stride, 3, loops.stride.begin());
        const double rows =
            queue_.decisions().statistics->holders * static_cast<double>(vector_count());
        spread = RowSpread::over(loops, static_cast<std::uint64_t>(rows + 0.5));
        queue_.add_spread(operation, Direction::Write, spread, spread.bytes(), at);
        return;
    }
    rows_.row_bytes = result.run_bytes;
    rows_.addresses.clear();
    for (std::size_t i = 0; i < group_count(); ++i)
        for_each_written(result, i, [this](const AccessPattern& row, std::size_t) {
            rows_.addresses.push_back(row.address);
        });
    queue_.add_rows(operation, Direction::Write, rows_, rows_.bytes(), at);
    result.tracked =
        queue_.timing_only() && !rows_.empty() && queue_.tracks(rows_.addresses.front());
}

/// Rows that a whole group writes.
AccessPattern VectorRun::written_rows(const Result& result, const Group& group) const
{
    const std::uint64_t address = result.scattered
                                      ? offset_by(result.address, result.stride[2], group.scatter)
                                      : result.address;
    return rows_at(address, result.stride, group, result.run_bytes);
}

void VectorRun::for_each_written(const Result& result, std::size_t index, auto visit) const
{
    const Group group = this->group(index);
    if (!result.scattered || !has_flag(LEVEE_SFU_ROW_WORDS)) {
        if (!result.scattered || group.scatter != LEVEE_SFU_SKIP)
            visit(written_rows(result, group), std::size_t{0});
        return;
    }
    const std::uint64_t base = written_rows(result, group).address;
    for (std::size_t row = 0; row < op_.rows; ++row)
        if (const std::uint32_t target = row_targets_[index * op_.rows + row];
            target != LEVEE_SFU_SKIP)
            visit(contiguous(offset_by(base, result.stride[2], target), result.run_bytes),
                  row * result.run_bytes);
}

void VectorRun::open_inputs(Operation& operation)
{
    stream_ = {};
    streamed_ = false;
    if (opcode_ == LEVEE_SFU_EMBED) {
        open_table(operation);
    } else if (StreamPorts::is_stream(op_.x)) {
        StreamPort* const port = queue_.streams().find(op_.x);
        if (port == nullptr)
            throw CommandFault{LEVEE_ERROR_STREAM, field_x};
        const Operation& producer = queue_.accept(*port);
        streamed_ = true;
        stream_ = producer.stream;
        if (producer.streamed() != vector_count() * op_.n)
            throw CommandFault{LEVEE_ERROR_STREAM, field_x};
    } else {
        open_rows(operation, Direction::Read, op_.x, op_.x_stride, x_bytes(), field_x);
    }
    open_second_input(operation);
    const auto vector_of = [&](std::uint64_t address, std::vector<float>& into, std::uint32_t at) {
        const bool given = address != 0 && opcode_ != LEVEE_SFU_EMBED && !is_softmax();
        into.clear();
        if (!given)
            return;
        const AccessPattern pattern = contiguous(address, op_.n * sizeof(float));
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), at);
        queue_.read(pattern, room(into, op_.n), at);
    };
    vector_of(op_.gain, gain_, field_gain);
    vector_of(op_.bias, bias_, field_bias);
    if (reads_running() || writes_running())
        for (std::size_t i = 0; i < running_stride_.size(); ++i)
            running_stride_[i] = running_words * op_.out_scale_stride[i];
    if (reads_running())
        open_rows(operation, Direction::Read, op_.gain, running_stride_.data(),
                  sizeof(levee_sfu_running), field_gain);
}

void VectorRun::open_second_input(Operation& operation)
{
    if (op_.y == 0)
        return;
    if (has_rows_y()) {
        open_rows(operation, Direction::Read, op_.y, op_.y_stride, y_bytes(), field_y);
    } else if (opcode_ == LEVEE_SFU_ROPE) {
        const AccessPattern pattern = contiguous(op_.y, op_.n / 2 * sizeof(std::uint32_t));
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_y);
        queue_.read(pattern, room(phase_, op_.n / 2), field_y);
    } else if (is_softmax()) {
        const std::uint32_t heads = shared_head(op_.outer[1] - 1u) + 1;
        for (const AccessPattern& pattern : patterns_of(op_.y, sizeof(float),
                                                        {{op_.outer[0], op_.y_stride[0]},
                                                         {heads, op_.y_stride[1]},
                                                         {op_.n, op_.y_stride[2]}}))
            queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_y);
    }
}

std::uint32_t VectorRun::scale_group() const
{
    return op_.scale_group == 0 ? 0 : 1u << op_.scale_group;
}

/// EMBED: of a row of the table.
std::uint64_t VectorRun::scales_of_row() const
{
    if (!is_weight_code(op_.x_type))
        return 0;
    return op_.scale_group == 0 ? 1 : divide_up(op_.n, scale_group());
}

/// EMBED gathers rows in token order: one scattered stream from the least to the greatest index.
void VectorRun::open_table(Operation& operation)
{
    const auto ends = std::minmax_element(indices_.begin(), indices_.end());
    const auto least = *ends.first;
    const std::uint64_t apart =
        indices_.size() > 1 ? (*ends.second - least) / (indices_.size() - 1) : 0;
    const auto gather = [&](std::uint64_t address, std::int64_t stride, std::uint64_t run_bytes,
                            std::uint32_t at) {
        AccessPattern pattern = contiguous(offset_by(address, stride, least), run_bytes);
        pattern.count[2] = indices_.size();
        pattern.stride[2] = stride * static_cast<std::int64_t>(apart);
        pattern.scattered = true;
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), at);
    };
    gather(op_.x, op_.x_stride[2], bytes_of(op_.n, op_.x_type), field_x);
    const std::uint64_t scales = scales_of_row() * sizeof(float);
    if (scales != 0)
        gather(op_.gain, static_cast<std::int64_t>(scales), scales, field_gain);
    if (op_.y == 0)
        return;
    for (std::size_t i = 0; i < group_count(); ++i) {
        const AccessPattern rows = position_rows(group(i));
        queue_.add_stream(operation, Direction::Read, rows, rows.bytes(), field_y);
    }
}

void VectorRun::open_outputs(Operation& operation)
{
    const bool scaled = !is_pick() && is_integer(op_.out_type) && op_.out != 0;
    const bool stored = op_.out != 0 && !streams_out();
    result_out_ = {op_.out, op_.out_stride, out_bytes(), stored, scatters_out()};
    result_scale_ = {op_.out_scale, op_.out_scale_stride, sizeof(float), scaled,
                     has_flag(LEVEE_SFU_SCATTER)};
    open_result(operation, result_out_, field_out);
    if (streams_out())
        queue_.produce(operation, op_.out, field_out);
    if (op_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op_.tap - 1), field_tap);
    open_result(operation, result_scale_, field_out_scale);
    result_running_ = {op_.gain, running_stride_.data(), sizeof(levee_sfu_running),
                       writes_running()};
    result_keep_ = {op_.bias, op_.out_scale_stride, sizeof(float), writes_running()};
    open_result(operation, result_running_, field_gain);
    open_result(operation, result_keep_, field_bias);
}

void VectorRun::load_vectors(const Group& group)
{
    if (streamed_)
        return;
    AccessPattern rows = rows_at(op_.x, op_.x_stride, group, x_bytes());
    if (is_softmax() && op_.rows == 1) // nobody needs to have written what is behind its length
        rows.run_bytes = bytes_of(group.length, op_.x_type);
    load(rows, op_.x_type, std::size_t{op_.rows} * op_.n, x_, field_x);
}

void VectorRun::load(const AccessPattern& rows, unsigned type, std::size_t count,
                     std::vector<float>& into, std::uint32_t at)
{
    float* const elements = room(into, count);
    if (type != LEVEE_TYPE_FP16) {
        queue_.read(rows, elements, at);
        return;
    }
    queue_.read(rows, room(halves_, count), at);
    if (elements != nullptr)
        std::transform(halves_.begin(), halves_.end(), elements, fp16_to_fp32);
}

void VectorRun::load_second(const Group& group)
{
    y_.clear();
    if (op_.y == 0)
        return;
    const std::size_t all = std::size_t{op_.rows} * op_.n;
    if (has_rows_y()) {
        load(rows_at(op_.y, op_.y_stride, group, y_bytes()), y_type(), all, y_, field_y);
    } else if (is_softmax()) {
        AccessPattern factors = contiguous(offset_by(offset_by(op_.y, op_.y_stride[0], group.o0),
                                                     op_.y_stride[1], shared_head(group.o1)),
                                           sizeof(float));
        factors.count[2] = group.length; // of n: nobody needs to have written the others
        factors.stride[2] = op_.y_stride[2];
        queue_.read(factors, room(y_, op_.n), field_y);
    } else if (opcode_ == LEVEE_SFU_EMBED) {
        queue_.read(position_rows(group), room(y_, all), field_y);
    }
}

void VectorRun::load_running(const Group& group, std::size_t index)
{
    if (!reads_running())
        return;
    levee_sfu_running* const into =
        queue_.timing_only() ? nullptr : running_.data() + index * op_.rows;
    queue_.read(rows_at(op_.gain, running_stride_.data(), group, sizeof(levee_sfu_running)), into,
                field_gain);
}

void VectorRun::load_table_rows(std::size_t index)
{
    const std::uint64_t row_bytes = bytes_of(op_.n, op_.x_type);
    const std::uint64_t count = scales_of_row();
    std::uint8_t* const table = room(table_, op_.rows * row_bytes);
    float* const scales = room(row_scales_, op_.rows * count);
    for (std::uint32_t row = 0; row < op_.rows; ++row) {
        const std::uint32_t token = indices_[index * op_.rows + row];
        queue_.read(contiguous(offset_by(op_.x, op_.x_stride[2], token), row_bytes),
                    table == nullptr ? nullptr : table + row * row_bytes, field_x);
        if (count != 0)
            queue_.read(contiguous(op_.gain + sizeof(float) * count * token, sizeof(float) * count),
                        scales == nullptr ? nullptr : scales + row * count, field_gain);
    }
}

void VectorRun::write_groups(std::uint32_t first, std::uint32_t last)
{
    if (is_pick()) {
        write_picks(first, last);
        return;
    }
    const bool timing_only = queue_.timing_only();
    if (timing_only && !result_out_.tracked && !result_scale_.tracked && !result_running_.tracked &&
        !result_keep_.tracked)
        return;
    const auto write = [&](const Result& result, std::uint32_t group, const void* packed) {
        if (!result.given || (timing_only && !result.tracked))
            return;
        const auto* const from = static_cast<const std::uint8_t*>(packed);
        for_each_written(result, group, [&](const AccessPattern& rows, std::size_t offset) {
            queue_.write(rows, timing_only ? nullptr : from + offset);
        });
    };
    for (std::uint32_t i = first; i < last; ++i) {
        const std::size_t vector = std::size_t{i} * op_.rows;
        write(result_out_, i, timing_only ? nullptr : out_.data() + vector * out_bytes());
        write(result_scale_, i, timing_only ? nullptr : out_scales_.data() + vector);
        write(result_running_, i, timing_only ? nullptr : running_.data() + vector);
        write(result_keep_, i, timing_only ? nullptr : keep_.data() + vector);
    }
}

/// A pick is a decision: runs from statistics always take token 0.
void VectorRun::write_picks(std::uint32_t first, std::uint32_t last)
{
    if (queue_.timing_only() && !is_statistical()) {
        queue_.replay(first, last);
        return;
    }
    if (is_statistical() && has_flag(LEVEE_SFU_ROW_WORDS))
        return; // the place is unknown
    const std::size_t bytes = op_.rows * out_bytes();
    if (queue_.timing_only())
        out_.assign(group_count() * bytes, 0);
    Decision decision;
    for (std::uint32_t i = first; i < last; ++i)
        for_each_written(result_out_, i, [&](const AccessPattern& rows, std::size_t offset) {
            const std::uint8_t* const from = out_.data() + i * bytes + offset;
            decision.writes.push_back({rows, {from, from + rows.bytes()}, i});
        });
    queue_.decide(std::move(decision));
}

AccessPattern VectorRun::position_rows(const Group& group) const
{
    AccessPattern rows =
        contiguous(offset_by(op_.y, op_.y_stride[2], group.position), op_.n * sizeof(float));
    rows.count[2] = op_.rows;
    rows.stride[2] = op_.y_stride[2];
    return rows;
}

} // namespace levee::sfu
