// SPDX-License-Identifier: Apache-2.0
// What the queue does: checks, time and data of the operations.
#include "core/command/tensor_rows.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/flash/module.hpp"

#include <algorithm>
#include <cstring>

namespace levee::flash {

namespace {

using Op = levee_flash_operation;

bool is_scaled(const Op& op)
{
    return op.weight_scale != 0;
}

std::uint64_t result_element(const Op& op)
{
    return op.input_bytes == 1 || is_scaled(op) ? 4 : 8;
}

/// FP32 operands of scaling.
struct Factors {
    float input = 1.0f;
    std::vector<float> weights, bias;
};

/// The systolic array's order of operations (ip/rsa/regs.h).
float scaled(std::int64_t sum, std::size_t row, const Op& op, const Factors& factors)
{
    float value = static_cast<float>(sum);
    if (op.input_scale != 0)
        value *= factors.input;
    value *= factors.weights[row];
    if (op.bias != 0)
        value += factors.bias[row];
    return canonical(value);
}

constexpr std::uint32_t field_input = operation_field(offsetof(Op, input));
constexpr std::uint32_t field_result = operation_field(offsetof(Op, result));
constexpr std::uint32_t field_data = operation_field(offsetof(Op, data));
constexpr std::uint32_t field_input_scale = operation_field(offsetof(Op, input_scale));
constexpr std::uint32_t field_weight_scale = operation_field(offsetof(Op, weight_scale));
constexpr std::uint32_t field_bias = operation_field(offsetof(Op, bias));

} // namespace

void Flash::add_streams(std::uint8_t opcode, const Op& op, Operation& operation)
{
    const auto add = [&](Direction direction, std::uint64_t address, std::uint64_t bytes,
                         std::uint32_t field) {
        queue.add_stream(operation, direction, contiguous(address, bytes), bytes, field);
    };
    if (opcode == LEVEE_FLASH_COMPUTE) {
        add(Direction::Read, op.input, std::uint64_t{op.columns} * op.input_bytes, field_input);
        add(Direction::Write, op.result, op.rows * result_element(op), field_result);
        if (op.input_scale != 0)
            add(Direction::Read, op.input_scale, sizeof(float), field_input_scale);
        if (is_scaled(op))
            add(Direction::Read, op.weight_scale, op.rows * sizeof(float), field_weight_scale);
        if (op.bias != 0)
            add(Direction::Read, op.bias, op.rows * sizeof(float), field_bias);
    }
    const std::uint64_t pages = std::uint64_t{op.data_pages} * config_.cells.geometry.page_bytes +
                                std::uint64_t{op.rows} * op.row_bytes;
    if (pages != 0 && opcode != LEVEE_FLASH_ERASE) {
        const bool programs = opcode == LEVEE_FLASH_PROGRAM;
        if (StreamPorts::is_stream(op.data))
            queue.produce(operation, op.data, field_data);
        else
            add(programs ? Direction::Read : Direction::Write, op.data, pages, field_data);
        operation.job.activity.uses.push_back(
            {this, programs ? Direction::Write : Direction::Read, contiguous(0, pages), pages});
    }
}

void Flash::take_time(std::uint8_t opcode, const Op& op, const PageAccesses& pages,
                      Operation& operation)
{
    const Schedule::Outcome outcome = schedule_->run(opcode, op, pages);
    const ChannelCounts& counts = outcome.counts;
    operation.job.activity.minimum = outcome.duration;
    operation.lead += config_.link_latency;
    if (inside_)
        requests_.tell(now_ps() + operation.lead, inside_);
    if (channels_.observed())
        channels_.play_from(now_ps() + operation.lead);
    const std::uint64_t bytes =
        counts.input_bytes + counts.result_bytes + counts.data_out_bytes + counts.data_in_bytes;
    const auto add = [&](const EnergyEvent& event, std::uint64_t count) {
        if (count != 0)
            operation.work.push_back({&event, count});
    };
    const auto of = [&](RequestKind kind) {
        return counts.requests[static_cast<std::size_t>(kind)];
    };
    const bool codes = config_.cells.code.has_value();
    link_bytes_ += bytes;
    if (bytes != 0)
        operation.job.activity.uses.push_back(
            {&link_, Direction::Read, contiguous(0, bytes), bytes});
    add(sense_event, of(RequestKind::Read) + of(RequestKind::ReadCompute));
    add(program_event, of(RequestKind::Program));
    add(erase_event, of(RequestKind::Erase));
    add(channel_event, bytes);
    add(link_event, bytes);
    add(buffer_event, counts.buffered_bytes + counts.result_bytes);
    add(core_event, counts.compute_busy);
    add(mac_event, counts.macs);
    add(decode_event, (codes && config_.die_ecc ? of(RequestKind::ReadCompute) : 0) +
                          (codes && config_.npu_ecc ? of(RequestKind::Read) : 0));
}

void Flash::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    const std::uint8_t opcode = descriptor.opcode;
    if (opcode < LEVEE_FLASH_COMPUTE || opcode > LEVEE_FLASH_FETCH)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    Op op;
    std::memcpy(&op, queue.operation().data(), sizeof op);
    check(opcode, op);
    const PageAccesses pages(config_.cells.geometry, failures_, op, now_ps());
    const bool programs = opcode == LEVEE_FLASH_PROGRAM, erases = opcode == LEVEE_FLASH_ERASE;
    if (programs || erases)
        check_writable(opcode, pages);
    add_streams(opcode, op, operation);
    if (programs)
        program(op, pages, operation);
    else if (erases)
        erase(pages, operation);
    else
        compute(opcode, op, pages, operation);
    take_time(opcode, op, pages, operation);
}

/// Appends the data pages; nothing in a timing-only run.
void Flash::read_pages(const PageAccesses& pages, std::vector<std::uint8_t>& bytes)
{
    const std::size_t size = queue.timing_only() ? 0 : config_.cells.geometry.page_bytes;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + pages.data_pages() * size);
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
        read_page(pages.data_page(k), std::span(bytes).subspan(begin + k * size, size),
                  config_.npu_ecc);
}

/// The rows of the tiles, in order; nothing in a timing-only run.
void Flash::fetch_rows(const Op& op, const PageAccesses& pages, std::vector<std::uint8_t>& bytes)
{
    bytes.resize(queue.timing_only() ? 0 : std::size_t{op.rows} * op.row_bytes);
    std::vector<std::uint8_t> content(config_.cells.geometry.page_bytes);
    pages.for_each_tile_page([&](const PageAccess& page) {
        const levee_flash_part& part = page.part;
        read_page(page, content, config_.npu_ecc);
        for (std::uint32_t row = 0; row < part.rows && !bytes.empty(); ++row)
            copy_weights(
                op.weight_bits, content, std::size_t{row} * part.stride, part.columns,
                std::span(bytes).subspan(std::size_t{part.row + row} * op.row_bytes, op.row_bytes),
                part.column);
    });
}

/// Counts what the cores of a tile's channels have nothing to do with.
void Flash::count_idle(const PageAccesses& pages, std::uint64_t tile)
{
    std::vector<bool> busy(config_.cells.geometry.channels, false);
    for (std::uint32_t i = 0; i < pages.parts(); ++i) {
        const PageAccess page = pages.tile_page(tile, i);
        idle_cores_ += page.is_empty();
        busy[page.place.channel] = busy[page.place.channel] || !page.is_empty();
    }
    idle_channels_ += static_cast<std::uint64_t>(std::count(busy.begin(), busy.end(), false));
}

/// Adds every core's partial sums, as they arrive, to the rows they are of.
void Flash::multiply(const Op& op, const PageAccesses& pages, std::span<const std::uint8_t> input,
                     std::vector<std::int64_t>& sums)
{
    const Geometry& g = config_.cells.geometry;
    const ProductFormat format{op.weight_bits, op.input_bytes};
    const std::uint64_t in_page = std::uint64_t{g.page_bytes} * 8 / op.weight_bits;
    std::vector<std::uint8_t> content(g.page_bytes);
    std::vector<std::int64_t> partial;
    tiles_ += pages.tiles();
    for (std::uint64_t tile = 0; tile < pages.tiles(); ++tile)
        count_idle(pages, tile);
    pages.for_each_tile_page([&](const PageAccess& page) {
        const levee_flash_part& part = page.part;
        if (!page.is_lost())
            padding_weights_ += in_page - std::uint64_t{part.rows} * part.columns;
        read_page(page, content, config_.die_ecc);
        if (sums.empty() || page.is_lost())
            return;
        partial.assign(part.rows, 0);
        multiply_page(format, content, part.stride, input, part.column, part.columns, partial);
        add_partial(op, part.row, partial, sums);
    });
}

/// Adds a core's sums, as the channel carries them.
void Flash::add_partial(const Op& op, std::uint32_t first, std::span<const std::int64_t> partial,
                        std::vector<std::int64_t>& sums)
{
    for (std::size_t row = 0; row < partial.size(); ++row) {
        const Requantised sent = op.result_bytes < 4
                                     ? requantise(partial[row], op.result_shift, op.result_bytes)
                                     : Requantised{partial[row], false};
        saturated_ += sent.saturated;
        sums[first + row] += sent.value;
    }
}

/// Reads `count` FP32 operands, if there are any.
void Flash::read_floats(std::uint64_t address, std::uint64_t count, std::uint32_t field,
                        std::vector<float>& to)
{
    if (address != 0)
        View{queue, contiguous(address, count * sizeof(float)), field}.read(to);
}

/// Results of a COMPUTE as they are written: none in timing-only runs.
std::vector<std::uint8_t> Flash::results_of(const Op& op, const PageAccesses& pages)
{
    std::vector<std::uint8_t> input;
    View{queue, contiguous(op.input, std::uint64_t{op.columns} * op.input_bytes), field_input}.read(
        input);
    Factors factors;
    std::vector<float> input_scale;
    read_floats(op.input_scale, 1, field_input_scale, input_scale);
    read_floats(op.weight_scale, op.rows, field_weight_scale, factors.weights);
    read_floats(op.bias, op.rows, field_bias, factors.bias);
    if (!input_scale.empty())
        factors.input = input_scale.front();
    std::vector<std::int64_t> sums(queue.timing_only() ? 0 : op.rows, 0);
    multiply(op, pages, input, sums);
    const std::uint64_t element = result_element(op);
    std::vector<std::uint8_t> results(sums.size() * element);
    for (std::size_t i = 0; i < sums.size(); ++i) { // little endian, as the host
        const float real = is_scaled(op) ? scaled(sums[i], i, op, factors) : 0.0f;
        const void* const from = is_scaled(op) ? static_cast<const void*>(&real) : &sums[i];
        std::memcpy(results.data() + i * element, from, element);
    }
    return results;
}

/// COMPUTE, READ and FETCH.
void Flash::compute(std::uint8_t opcode, const Op& op, const PageAccesses& pages,
                    Operation& operation)
{
    std::vector<std::uint8_t> results, bytes;
    const bool computes = opcode == LEVEE_FLASH_COMPUTE;
    if (computes)
        results = results_of(op, pages);
    if (opcode == LEVEE_FLASH_FETCH)
        fetch_rows(op, pages, bytes);
    read_pages(pages, bytes);
    const std::uint64_t size = op.data_pages * std::uint64_t{config_.cells.geometry.page_bytes} +
                               std::uint64_t{op.rows} * op.row_bytes;
    const bool streams = operation.produces != nullptr;
    if (streams) {
        operation.stored_bytes = size;
        operation.stored_stream.swap(bytes);
    }
    operation.commit = [this, op, size, streams, computes, results, bytes](std::uint32_t,
                                                                           std::uint32_t) {
        if (computes)
            View{queue, contiguous(op.result, op.rows * result_element(op)), field_result}.write(
                results);
        if (size != 0 && !streams)
            View{queue, contiguous(op.data, size), field_data}.write(bytes);
    };
}

/// Without payload, pages are programmed with zeroes.
void Flash::program(const Op& op, const PageAccesses& pages, Operation& operation)
{
    const std::uint64_t size = config_.cells.geometry.page_bytes;
    std::vector<std::uint8_t> bytes;
    View{queue, contiguous(op.data, op.data_pages * size), field_data}.read(bytes);
    bytes.resize(op.data_pages * size);
    operation.commit = [this, pages, size, bytes](std::uint32_t, std::uint32_t) {
        for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
            cells_.program(pages.data_page(k).number, std::span(bytes).subspan(k * size, size),
                           now_ps());
    };
}

void Flash::erase(const PageAccesses& pages, Operation& operation)
{
    operation.commit = [this, pages](std::uint32_t, std::uint32_t) {
        for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
            if (const PageAccess page = pages.data_page(k);
                page.place.page % config_.cells.geometry.pages == 0)
                cells_.erase(page.number);
    };
}

} // namespace levee::flash
