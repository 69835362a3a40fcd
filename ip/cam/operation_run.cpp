// SPDX-License-Identifier: Apache-2.0
#include "ip/cam/operation_run.hpp"

#include "core/command/tensor_rows.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace levee::cam {

namespace {

using Op = levee_cam_operation;

// Values of Decision::Write::what: `listed` for the slots of a list, `counted` for the number of
// slots in an `any` list.
constexpr std::uint8_t listed = 0, counted = 1;

AccessPattern words(std::uint64_t address, std::uint32_t count, std::uint16_t stride)
{
    AccessPattern pattern = contiguous(address, sizeof(std::uint32_t));
    pattern.count[2] = count;
    pattern.stride[2] = stride;
    return pattern;
}

} // namespace

OperationRun::Size OperationRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    format_ = {op_.n, op_.bits, static_cast<levee_cam_distance>(op_.distance), op_.range};
    check();
    operation.iterations = op_.outer[0];
    return opcode_ == LEVEE_CAM_WRITE ? write(operation) : search(operation);
}

std::uint64_t OperationRun::row_of(std::uint32_t o0, std::uint32_t o1) const
{
    return op_.first_row + std::uint64_t{o0} * op_.row_stride[0] +
           std::uint64_t{o1} * op_.row_stride[1];
}

/// Returns the vectors of a slice: for a WRITE, the vectors to store, from the first slot written
/// on; for a SEARCH, the queries.
View OperationRun::vectors(std::uint32_t o0, std::uint32_t o1) const
{
    View view{queue_,
              rows_of(op_.vectors, op_.vectors_stride, o0, o1, op_.rows, bytes_of(op_.n, op_.type)),
              operation_field(offsetof(Op, vectors))};
    if (opcode_ == LEVEE_CAM_WRITE)
        view.pattern.address =
            offset_by(view.pattern.address, op_.vectors_stride[2], slots_[slice(o0, o1)]);
    return view;
}

View OperationRun::scales(std::uint32_t o0, std::uint32_t o1) const
{
    View view{queue_, rows_of(op_.scales, op_.scales_stride, o0, o1, op_.rows, sizeof(float)),
              operation_field(offsetof(Op, scales))};
    view.pattern.address =
        offset_by(view.pattern.address, op_.scales_stride[2], slots_[slice(o0, o1)]);
    return view;
}

View OperationRun::list(std::uint32_t o0, std::uint32_t o1) const
{
    return {
        queue_,
        contiguous(offset_by(offset_by(op_.list, op_.list_stride[0], o0), op_.list_stride[1], o1),
                   std::uint64_t{op_.width} * sizeof(std::uint32_t)),
        operation_field(offsetof(Op, list))};
}

void OperationRun::read_slots()
{
    slots_.assign(std::size_t{op_.outer[0]} * op_.outer[1], 0);
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0)
        queue_.read_control(words(op_.slots + std::uint64_t{o0} * op_.slots_stride[0], op_.outer[1],
                                  op_.slots_stride[1]),
                            &slots_[slice(o0, 0)], operation_field(offsetof(Op, slots)));
    for (const std::uint32_t slot : slots_)
        need_field(std::uint64_t{slot} + op_.rows <= op_.slice_slots, LEVEE_ERROR_FIELD,
                   offsetof(Op, slots));
}

OperationRun::Size OperationRun::write(Operation& operation)
{
    read_slots();
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1) {
            vectors(o0, o1).open(operation, Direction::Read);
            if (op_.range != 0)
                scales(o0, o1).open(operation, Direction::Read);
        }
    proxies_.accept(format_);
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0)
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1)
            store_slice(o0, o1);
    operation.commit = [](std::uint32_t, std::uint32_t) {};
    Size size;
    size.written = slots_.size() * op_.rows;
    size.written_cells = size.written * cells(format_);
    size.cycles = write_time(build_.pace, size.written);
    return size;
}

void OperationRun::store_slice(std::uint32_t o0, std::uint32_t o1)
{
    const std::uint64_t first = row_of(o0, o1) + slots_[slice(o0, o1)];
    for (std::uint32_t i = 0; i < op_.rows; ++i)
        proxies_.mark(first + i);
    const std::vector<std::int16_t> elements = read_vectors(vectors(o0, o1));
    std::vector<float> factors;
    if (op_.range != 0)
        scales(o0, o1).read(factors);
    for (std::size_t i = 0; i < elements.size() / op_.n; ++i)
        store(format_, std::span(elements).subspan(i * op_.n, op_.n),
              factors.empty() ? 1.0f : factors[i], proxies_.proxy(first + i));
}

/// Reads vectors as INT16. INT8 elements are multiplied by 256. Empty in timing-only runs.
std::vector<std::int16_t> OperationRun::read_vectors(const View& view)
{
    std::vector<std::int16_t> elements;
    if (op_.type == LEVEE_TYPE_INT16) {
        view.read(elements);
        return elements;
    }
    std::vector<std::int8_t> bytes;
    view.read(bytes);
    std::ranges::transform(bytes, std::back_inserter(elements),
                           [](std::int8_t byte) { return static_cast<std::int16_t>(byte * 256); });
    return elements;
}

void OperationRun::read_counts()
{
    lengths_.assign(op_.outer[0], 0);
    counts_ = lengths_;
    queue_.read_control(words(op_.lengths, op_.outer[0], op_.word_stride), lengths_.data(),
                        operation_field(offsetof(Op, lengths)));
    queue_.read_control(words(op_.counts, op_.outer[0], op_.word_stride), counts_.data(),
                        operation_field(offsetof(Op, counts)));
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        need_field(lengths_[o0] > 0 && lengths_[o0] <= op_.slice_slots, LEVEE_ERROR_FIELD,
                   offsetof(Op, lengths));
        need_field(counts_[o0] > 0 && counts_[o0] <= lengths_[o0] && counts_[o0] <= op_.width,
                   LEVEE_ERROR_FIELD, offsetof(Op, counts));
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1)
            need_field(proxies_.holds(format_, row_of(o0, o1), lengths_[o0]), LEVEE_ERROR_FIELD,
                       offsetof(Op, first_row));
    }
}

OperationRun::Size OperationRun::search(Operation& operation)
{
    read_counts();
    std::vector<Searched> slices;
    Size size;
    lists_.assign(std::size_t{op_.outer[0]} * op_.outer[1] * op_.width, LEVEE_CAM_NONE);
    any_.assign(op_.outer[0], {});
    for (std::uint32_t o0 = 0; o0 < op_.outer[0]; ++o0) {
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1) {
            vectors(o0, o1).open(operation, Direction::Read);
            list(o0, o1).open(operation, Direction::Write);
            slices.push_back({row_of(o0, o1), lengths_[o0], counts_[o0]});
            size.compared += std::uint64_t{lengths_[o0]} * op_.rows;
            find_slice(o0, o1);
        }
        if (op_.any != 0)
            slices.back().matches += join_lists(operation, o0);
    }
    operation.commit = [this](std::uint32_t first, std::uint32_t last) { commit(first, last); };
    for (const Searched& slice : slices)
        size.matches += slice.matches;
    size.searches = slices.size() * op_.rows;
    size.compared_cells = size.compared * cells(format_);
    size.lines = size.compared * build_.arrays.side_by_side(cells(format_));
    size.cycles = search_time(build_.pace, build_.arrays, op_.rows, slices);
    return size;
}

void OperationRun::find_slice(std::uint32_t o0, std::uint32_t o1)
{
    const std::vector<std::int16_t> queries = read_vectors(vectors(o0, o1));
    if (draws(queue_))
        draw_slice(o0, o1);
    if (queries.empty())
        return;
    std::vector<double> distances(lengths_[o0]);
    std::vector<std::uint8_t> query(cells(format_));
    for (std::uint32_t i = 0; i < op_.rows; ++i) {
        ask(format_, std::span(queries).subspan(std::size_t{i} * op_.n, op_.n), query);
        for (std::uint32_t slot = 0; slot < lengths_[o0]; ++slot) {
            const std::uint64_t row = row_of(o0, o1) + slot;
            const double read = read_distance(format_, proxies_.proxy(row), query, build_.noise,
                                              {row, readings_++, build_.arrays.columns});
            if (i == 0)
                distances[slot] = read;
            else if (op_.merge == LEVEE_CAM_SUM)
                distances[slot] += read;
            else
                distances[slot] = std::min(distances[slot], read);
        }
    }
    std::ranges::copy(nearest(distances, counts_[o0]),
                      lists_.begin() + static_cast<std::ptrdiff_t>(slice(o0, o1) * op_.width));
}

/// Chooses the slots that a search finds, for runs from statistics: slots spread evenly over the
/// slice.
void OperationRun::draw_slice(std::uint32_t o0, std::uint32_t o1)
{
    for (std::uint64_t i = 0; i < counts_[o0]; ++i)
        lists_[slice(o0, o1) * op_.width + i] =
            static_cast<std::uint32_t>(i * lengths_[o0] / counts_[o0]);
}

/// Joins the lists of a search with `any` and returns the number of distinct slots.
std::uint64_t OperationRun::join_lists(Operation& operation, std::uint32_t o0)
{
    need_field(op_.any_less <= lengths_[o0], LEVEE_ERROR_FIELD, offsetof(Op, any_less));
    queue_.check_write(any_count(o0).pattern, any_count(o0).field);
    std::uint64_t count = 0;
    if (replays(queue_)) {
        count = recorded_count(o0);
    } else {
        any_[o0] = join(std::span(lists_).subspan(slice(o0, 0) * op_.width,
                                                  std::size_t{op_.outer[1]} * op_.width),
                        lengths_[o0] - op_.any_less);
        count = any_[o0].size();
    }
    if (count != 0)
        any(o0, count).open(operation, Direction::Write);
    return count;
}

std::uint32_t OperationRun::recorded_count(std::uint32_t o0) const
{
    std::uint32_t count = 0;
    for (const Decision::Write& write : queue_.recorded().writes)
        if (write.iteration == o0 && write.what == counted && write.bytes.size() == sizeof count)
            std::memcpy(&count, write.bytes.data(), sizeof count);
    return count;
}

View OperationRun::any(std::uint32_t o0, std::uint64_t count) const
{
    return {queue_,
            contiguous(offset_by(op_.any, op_.any_stride, o0), count * sizeof(std::uint32_t)),
            operation_field(offsetof(Op, any))};
}

View OperationRun::any_count(std::uint32_t o0) const
{
    return {queue_,
            contiguous(offset_by(op_.any_count, op_.any_count_stride, o0), sizeof(std::uint32_t)),
            operation_field(offsetof(Op, any_count))};
}

/// Returns the decision made by iterations [first, last) of o0: the lists to write.
Decision OperationRun::decided(std::uint32_t first, std::uint32_t last) const
{
    Decision decision;
    const auto add = [&](const View& to, const std::uint32_t* words, std::uint32_t o0,
                         std::uint8_t what) {
        Decision::Write write{to.pattern, std::vector<std::uint8_t>(to.pattern.bytes()), o0, what};
        std::memcpy(write.bytes.data(), words, write.bytes.size());
        decision.writes.push_back(std::move(write));
    };
    for (std::uint32_t o0 = first; o0 < last; ++o0) {
        for (std::uint32_t o1 = 0; o1 < op_.outer[1]; ++o1)
            add(list(o0, o1), &lists_[slice(o0, o1) * op_.width], o0, listed);
        if (op_.any == 0)
            continue;
        const auto count = static_cast<std::uint32_t>(any_[o0].size());
        if (count != 0)
            add(any(o0, count), any_[o0].data(), o0, listed);
        add(any_count(o0), &count, o0, counted);
    }
    return decision;
}

void OperationRun::commit(std::uint32_t first, std::uint32_t last)
{
    replays(queue_) ? queue_.replay(first, last) : queue_.decide(decided(first, last));
}

} // namespace levee::cam
