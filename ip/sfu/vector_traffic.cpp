// How the vectors of an operation come from memory and go back: the streams it opens, and the
// bytes.
#include "ip/common/loop_nest.hpp"
#include "ip/common/tensor.hpp"
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
    const std::uint64_t bytes = (groups_.size() - skipped) * op_.rows * run_bytes;
    if (bytes == 0)
        return;
    const auto patterns =
        patterns_of(address, run_bytes,
                    {{op_.outer[0], stride[0]}, {op_.outer[1], stride[1]}, {op_.rows, stride[2]}});
    for (const AccessPattern& pattern : patterns)
        queue_.add_stream(operation, direction, pattern, bytes / patterns.size(), at);
}

/// A table entry moves every group's rows, or each row. Every place is checked. Where it moves
/// groups, the stream is that of the rows before they are moved by anything but the least entry.
void VectorRun::open_scattered(Operation& operation, std::uint64_t address,
                               const std::int32_t* stride, std::uint64_t run_bytes,
                               std::uint32_t at)
{
    if (has_flag(LEVEE_SFU_ROW_WORDS)) {
        const RowList rows = placed_rows(address, stride, run_bytes, 0, groups_.size());
        queue_.add_rows(operation, Direction::Write, rows, rows.bytes(), at);
        return;
    }
    std::uint32_t least = LEVEE_SFU_SKIP;
    std::size_t skipped = 0;
    for (const Group& group : groups_) {
        least = std::min(least, group.scatter);
        if (group.scatter == LEVEE_SFU_SKIP)
            ++skipped;
        else
            queue_.check_write(scattered_rows(address, stride, group, run_bytes), at);
    }
    open_rows(operation, Direction::Write, offset_by(address, stride[2], least), stride, run_bytes,
              at, skipped);
}

void VectorRun::open_inputs(Operation& operation)
{
    stream_ = {};
    if (opcode_ == LEVEE_SFU_EMBED) {
        open_table(operation);
    } else if (StreamPorts::is_stream(op_.x)) {
        StreamPort* const port = queue_.streams().find(op_.x);
        if (port == nullptr)
            throw CommandFault{LEVEE_ERROR_STREAM, field_x};
        stream_ = queue_.accept(*port).stream;
        if (stream_.size() != groups_.size() * op_.rows * op_.n)
            throw CommandFault{LEVEE_ERROR_STREAM, field_x};
    } else {
        open_rows(operation, Direction::Read, op_.x, op_.x_stride,
                  std::uint64_t{op_.n} * sizeof(float), field_x);
    }
    open_second_input(operation);
    const auto vector_of = [&](std::uint64_t address, std::vector<float>& into, std::uint32_t at) {
        const bool given = address != 0 && opcode_ != LEVEE_SFU_EMBED;
        into.clear();
        if (!given)
            return;
        const AccessPattern pattern = contiguous(address, op_.n * sizeof(float));
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), at);
        into.resize(op_.n);
        queue_.read(pattern, into.data(), at);
    };
    vector_of(op_.gain, gain_, field_gain);
    vector_of(op_.bias, bias_, field_bias);
}

void VectorRun::open_second_input(Operation& operation)
{
    if (op_.y == 0)
        return;
    if (has_rows_y()) {
        open_rows(operation, Direction::Read, op_.y, op_.y_stride, op_.n * sizeof(float), field_y);
    } else if (opcode_ == LEVEE_SFU_ROPE) {
        const AccessPattern pattern = contiguous(op_.y, op_.n / 2 * sizeof(std::uint32_t));
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_y);
        phase_.resize(op_.n / 2);
        queue_.read(pattern, phase_.data(), field_y);
    } else if (opcode_ == LEVEE_SFU_SOFTMAX) {
        const std::uint32_t heads = shared_head(op_.outer[1] - 1u) + 1;
        for (const AccessPattern& pattern : patterns_of(op_.y, sizeof(float),
                                                        {{op_.outer[0], op_.y_stride[0]},
                                                         {heads, op_.y_stride[1]},
                                                         {op_.n, op_.y_stride[2]}}))
            queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_y);
    }
}

/// EMBED gathers rows in the order of the tokens: one scattered stream between the least and the
/// greatest index.
void VectorRun::open_table(Operation& operation)
{
    const auto [least, greatest] = std::minmax_element(indices_.begin(), indices_.end());
    const std::uint64_t apart =
        indices_.size() > 1 ? (*greatest - *least) / (indices_.size() - 1) : 0;
    const auto gather = [&](std::uint64_t address, std::int64_t stride, std::uint64_t run_bytes,
                            std::uint32_t at) {
        AccessPattern pattern = contiguous(offset_by(address, stride, *least), run_bytes);
        pattern.count[2] = indices_.size();
        pattern.stride[2] = stride * static_cast<std::int64_t>(apart);
        pattern.scattered = true;
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), at);
    };
    gather(op_.x, op_.x_stride[2], bytes_of(op_.n, op_.x_type), field_x);
    if (op_.x_type == LEVEE_TYPE_INT8 || op_.x_type == LEVEE_TYPE_INT4)
        gather(op_.gain, sizeof(float), sizeof(float), field_gain);
    if (op_.y == 0)
        return;
    for (const Group& group : groups_) {
        const AccessPattern rows = position_rows(group);
        queue_.add_stream(operation, Direction::Read, rows, rows.bytes(), field_y);
    }
}

void VectorRun::open_outputs(Operation& operation)
{
    const auto open = [&](bool scattered, std::uint64_t address, const std::int32_t* stride,
                          std::uint64_t run, std::uint32_t at) {
        if (scattered)
            open_scattered(operation, address, stride, run, at);
        else
            open_rows(operation, Direction::Write, address, stride, run, at);
    };
    open(scatters_out(), op_.out, op_.out_stride, out_bytes(), field_out);
    if (op_.tap != 0)
        queue_.produce(operation, LEVEE_STREAM(op_.tap - 1), field_tap);
    if (!is_pick() && op_.out_type == LEVEE_TYPE_INT16)
        open(has_flag(LEVEE_SFU_SCATTER), op_.out_scale, op_.out_scale_stride, sizeof(float),
             field_out_scale);
}

void VectorRun::load_vectors(const Group& group, std::size_t)
{
    if (!stream_.empty())
        return;
    const AccessPattern x = rows_at(op_.x, op_.x_stride, group, op_.n * sizeof(float));
    x_.resize(std::size_t{op_.rows} * op_.n);
    queue_.read(x, x_.data(), field_x);
}

void VectorRun::load_second(const Group& group)
{
    y_.clear();
    if (op_.y == 0)
        return;
    if (has_rows_y()) {
        y_.resize(std::size_t{op_.rows} * op_.n);
        queue_.read(rows_at(op_.y, op_.y_stride, group, op_.n * sizeof(float)), y_.data(), field_y);
    } else if (opcode_ == LEVEE_SFU_SOFTMAX) {
        AccessPattern factors = contiguous(offset_by(offset_by(op_.y, op_.y_stride[0], group.o0),
                                                     op_.y_stride[1], shared_head(group.o1)),
                                           sizeof(float));
        factors.count[2] = op_.n;
        factors.stride[2] = op_.y_stride[2];
        y_.resize(op_.n);
        queue_.read(factors, y_.data(), field_y);
    } else if (opcode_ == LEVEE_SFU_EMBED) {
        y_.resize(std::size_t{op_.rows} * op_.n);
        queue_.read(position_rows(group), y_.data(), field_y);
    }
}

void VectorRun::load_table_rows(const Group&, std::size_t index)
{
    const std::uint64_t row_bytes = bytes_of(op_.n, op_.x_type);
    const bool scaled = op_.x_type == LEVEE_TYPE_INT8 || op_.x_type == LEVEE_TYPE_INT4;
    table_.resize(op_.rows * row_bytes);
    row_scales_.resize(scaled ? op_.rows : 0);
    for (std::uint32_t row = 0; row < op_.rows; ++row) {
        const std::uint32_t token = indices_[index * op_.rows + row];
        queue_.read(contiguous(offset_by(op_.x, op_.x_stride[2], token), row_bytes),
                    table_.data() + row * row_bytes, field_x);
        if (scaled)
            queue_.read(contiguous(op_.gain + sizeof(float) * std::uint64_t{token}, sizeof(float)),
                        &row_scales_[row], field_gain);
    }
}

void VectorRun::write_groups(std::uint32_t first, std::uint32_t last)
{
    for (std::uint32_t i = first; i < last; ++i) {
        const std::size_t vector = std::size_t{i} * op_.rows;
        write_vectors(i, scatters_out(), op_.out, op_.out_stride, out_bytes(),
                      out_.data() + vector * out_bytes());
        if (!is_pick() && op_.out_type == LEVEE_TYPE_INT16)
            write_vectors(i, has_flag(LEVEE_SFU_SCATTER), op_.out_scale, op_.out_scale_stride,
                          sizeof(float), &out_scales_[vector]);
    }
}

/// The vectors of one group.
void VectorRun::write_vectors(std::size_t index, bool scattered, std::uint64_t address,
                              const std::int32_t* stride, std::uint64_t run_bytes,
                              const void* packed)
{
    const Group& group = groups_[index];
    if (!scattered) {
        queue_.write(rows_at(address, stride, group, run_bytes), packed);
    } else if (!has_flag(LEVEE_SFU_ROW_WORDS)) {
        if (group.scatter != LEVEE_SFU_SKIP)
            queue_.write(scattered_rows(address, stride, group, run_bytes), packed);
    } else {
        const RowList rows = placed_rows(address, stride, run_bytes, index, index + 1);
        const auto* from = static_cast<const std::uint8_t*>(packed);
        std::size_t written = 0;
        for (std::size_t vector = index * op_.rows; vector < (index + 1) * op_.rows; ++vector) {
            if (row_targets_[vector] != LEVEE_SFU_SKIP)
                queue_.write(rows.row(written++), from);
            from += run_bytes;
        }
    }
}

} // namespace levee::sfu
