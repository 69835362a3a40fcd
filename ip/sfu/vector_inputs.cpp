// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_inputs.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

constexpr std::uint32_t field_x = operation_field(offsetof(Op, x));
constexpr std::uint32_t field_y = operation_field(offsetof(Op, y));
constexpr std::uint32_t field_gain = operation_field(offsetof(Op, gain));
constexpr std::uint32_t field_bias = operation_field(offsetof(Op, bias));
constexpr std::uint32_t field_sinks = operation_field(offsetof(Op, positions));

} // namespace

VectorRows VectorInputs::rows_of_x() const
{
    return {op_.x, std::to_array(op_.x_stride), op_.x_bytes()};
}

VectorRows VectorInputs::rows_of_y() const
{
    return {op_.y, std::to_array(op_.y_stride), op_.y_bytes()};
}

AccessPattern VectorInputs::position_rows(const Group& group) const
{
    AccessPattern rows =
        contiguous(offset_by(op_.y, op_.y_stride[2], group.position), op_.n * sizeof(float));
    rows.count[2] = op_.rows;
    rows.stride[2] = op_.y_stride[2];
    return rows;
}

void VectorInputs::open(Operation& operation)
{
    open_x(operation);
    open_y(operation);
    open_vector(operation, op_.gain, gain_, field_gain);
    open_vector(operation, op_.bias, bias_, field_bias);
    open_sinks(operation);
    if (op_.reads_running())
        running_rows(op_).open(queue_, op_, operation, Direction::Read, field_gain);
}

void VectorInputs::open_x(Operation& operation)
{
    stream_ = {};
    streamed_ = false;
    if (op_.opcode == LEVEE_SFU_COMBINE)
        return; // Each result of COMBINE adds several rows; CombineRun reads them.
    if (op_.opcode == LEVEE_SFU_EMBED)
        open_table(operation);
    else if (op_.streams_in())
        accept_stream();
    else
        rows_of_x().open(queue_, op_, operation, Direction::Read, field_x);
}

void VectorInputs::accept_stream()
{
    StreamPort* const port = queue_.streams().find(op_.x);
    if (port == nullptr)
        throw CommandFault{LEVEE_ERROR_STREAM, field_x};
    const Operation& producer = queue_.accept(*port);
    streamed_ = true;
    stream_ = producer.stream;
    if (producer.streamed() != op_.vectors() * op_.n)
        throw CommandFault{LEVEE_ERROR_STREAM, field_x};
}

/// Opens the table of EMBED. The rows are gathered in the order of tokens, by one scattered stream.
/// Its address range is from the least to the greatest index.
void VectorInputs::open_table(Operation& operation)
{
    const std::vector<std::uint32_t>& indices = tables_.indices();
    const auto ends = std::minmax_element(indices.begin(), indices.end());
    const auto least = *ends.first;
    const std::uint64_t apart =
        indices.size() > 1 ? (*ends.second - least) / (indices.size() - 1) : 0;
    const auto gather = [&](std::uint64_t address, std::int64_t stride, std::uint64_t run_bytes,
                            std::uint32_t field) {
        AccessPattern pattern = contiguous(offset_by(address, stride, least), run_bytes);
        pattern.count[2] = indices.size();
        pattern.stride[2] = stride * static_cast<std::int64_t>(apart);
        pattern.scattered = true;
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field);
    };
    gather(op_.x, op_.x_stride[2], op_.x_bytes(), field_x);
    const std::uint64_t scales = op_.scales_of_row() * sizeof(float);
    if (scales != 0)
        gather(op_.gain, static_cast<std::int64_t>(scales), scales, field_gain);
}

void VectorInputs::open_y(Operation& operation)
{
    if (op_.y == 0)
        return;
    const auto add = [&](const AccessPattern& pattern) {
        queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field_y);
    };
    if (op_.has_rows_y()) {
        rows_of_y().open(queue_, op_, operation, Direction::Read, field_y);
    } else if (op_.opcode == LEVEE_SFU_EMBED) {
        for (std::size_t i = 0; i < op_.groups(); ++i)
            add(position_rows(tables_.group(i)));
    } else if (op_.opcode == LEVEE_SFU_ROPE) {
        const std::size_t pairs = op_.rotated() / 2;
        const AccessPattern pattern = contiguous(op_.y, pairs * sizeof(std::uint32_t));
        add(pattern);
        queue_.read(pattern, room(phase_, pairs), field_y);
    } else if (op_.is_softmax()) {
        for (const AccessPattern& pattern : patterns_of(op_.y, sizeof(float),
                                                        {{op_.outer[0], op_.y_stride[0]},
                                                         {op_.shared_heads(), op_.y_stride[1]},
                                                         {op_.n, op_.y_stride[2]}}))
            add(pattern);
    }
}

/// Opens an operand that consists of one vector, which is applied to all vectors of the operation.
void VectorInputs::open_vector(Operation& operation, std::uint64_t address,
                               std::vector<float>& into, std::uint32_t field)
{
    into.clear();
    if (address == 0 || op_.opcode == LEVEE_SFU_EMBED || op_.opcode == LEVEE_SFU_COMBINE ||
        op_.is_softmax())
        return;
    const AccessPattern pattern = contiguous(address, op_.n * sizeof(float));
    queue_.add_stream(operation, Direction::Read, pattern, pattern.bytes(), field);
    queue_.read(pattern, room(into, op_.n), field);
}

/// Opens the stream of the sinks, one for each group, and reads them.
void VectorInputs::open_sinks(Operation& operation)
{
    sinks_.clear();
    if (!op_.has_sinks())
        return;
    AccessPattern words = contiguous(op_.positions, sizeof(float));
    words.count = {1, op_.outer[0], op_.outer[1]};
    words.stride = {0, op_.positions_stride[0], op_.positions_stride[1]};
    queue_.add_stream(operation, Direction::Read, words, words.bytes(), field_sinks);
    queue_.read(words, room(sinks_, op_.groups()), field_sinks);
}

bool VectorInputs::need_loading()
{
    const auto tracked = [this](std::uint64_t address) {
        return queue_.tracks(Direction::Read, address);
    };
    if (op_.opcode == LEVEE_SFU_COMBINE)
        return !queue_.timing_only() || (op_.y != 0 && tracked(op_.y));
    return !queue_.timing_only() || op_.opcode == LEVEE_SFU_EMBED ||
           (!streamed_ && tracked(op_.x)) || (op_.y != 0 && tracked(op_.y)) ||
           (op_.reads_running() && tracked(op_.gain));
}

void VectorInputs::load(const Group& group, std::size_t index, levee_sfu_running* running)
{
    if (op_.opcode == LEVEE_SFU_COMBINE)
        return load_y(group);
    if (op_.opcode == LEVEE_SFU_EMBED)
        load_table_rows(index);
    else if (!streamed_)
        load_x(group);
    load_y(group);
    if (op_.reads_running())
        queue_.read(running_rows(op_).of(group, op_.rows), running, field_gain);
}

void VectorInputs::load_x(const Group& group)
{
    AccessPattern rows = rows_of_x().of(group, op_.rows);
    if (op_.is_softmax() && op_.rows == 1) // A longer vector may end in elements that were never
                                           // written.
        rows.run_bytes = bytes_of(std::min(group.length, op_.n), op_.x_type);
    load_elements(rows, op_.x_type, std::size_t{op_.rows} * op_.n, x_, field_x);
}

void VectorInputs::load_elements(const AccessPattern& rows, unsigned type, std::size_t count,
                                 std::vector<float>& into, std::uint32_t field)
{
    float* const elements = room(into, count);
    if (type != LEVEE_TYPE_FP16) {
        queue_.read(rows, elements, field);
        return;
    }
    queue_.read(rows, room(halves_, count), field);
    if (elements != nullptr)
        std::transform(halves_.begin(), halves_.end(), elements, fp16_to_fp32);
}

void VectorInputs::load_y(const Group& group)
{
    y_.clear();
    if (op_.y == 0)
        return;
    const std::size_t all = std::size_t{op_.rows} * op_.n;
    if (op_.has_rows_y()) {
        load_elements(rows_of_y().of(group, op_.rows), op_.y_element(), all, y_, field_y);
    } else if (op_.is_softmax()) {
        AccessPattern factors = contiguous(offset_by(offset_by(op_.y, op_.y_stride[0], group.o0),
                                                     op_.y_stride[1], op_.shared_head(group.o1)),
                                           sizeof(float));
        factors.count[2] = std::min(group.length, op_.n); // Factors beyond the valid length may
                                                          // never have been written.
        factors.stride[2] = op_.y_stride[2];
        queue_.read(factors, room(y_, op_.n), field_y);
    } else if (op_.opcode == LEVEE_SFU_EMBED) {
        queue_.read(position_rows(group), room(y_, all), field_y);
    }
}

void VectorInputs::load_table_rows(std::size_t index)
{
    const std::uint64_t row_bytes = op_.x_bytes();
    const std::uint64_t count = op_.scales_of_row();
    std::uint8_t* const table = room(table_, op_.rows * row_bytes);
    float* const scales = room(scales_, op_.rows * count);
    for (std::uint32_t row = 0; row < op_.rows; ++row) {
        const std::uint32_t token = tables_.indices()[index * op_.rows + row];
        queue_.read(contiguous(offset_by(op_.x, op_.x_stride[2], token), row_bytes),
                    table == nullptr ? nullptr : table + row * row_bytes, field_x);
        if (count != 0)
            queue_.read(contiguous(op_.gain + sizeof(float) * count * token, sizeof(float) * count),
                        scales == nullptr ? nullptr : scales + row * count, field_gain);
    }
}

std::span<const float> VectorInputs::x(std::uint32_t row, std::size_t vector) const
{
    return streamed_ ? stream_.subspan(vector * op_.n, op_.n) : row_of(x_, row);
}

std::span<const std::byte> VectorInputs::table_row(std::uint32_t row) const
{
    return std::as_bytes(std::span(table_)).subspan(row * op_.x_bytes(), op_.x_bytes());
}

std::span<const float> VectorInputs::scales(std::uint32_t row) const
{
    return std::span(scales_).subspan(row * op_.scales_of_row(), op_.scales_of_row());
}

} // namespace levee::sfu
