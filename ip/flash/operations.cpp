// SPDX-License-Identifier: Apache-2.0
#include "core/command/tensor_rows.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/flash/checks.hpp"
#include "ip/flash/module.hpp"

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

/// FP32 factors that scale a result.
struct Factors {
    float input = 1.0f;
    std::vector<float> weights, bias;
};

/// Scales a sum, with the same order of operations as the systolic array (ip/rsa/regs.h).
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
    check(opcode, op, config_);
    const PageAccesses pages(config_.cells.geometry, failures_, op, now_ps());
    const bool programs = opcode == LEVEE_FLASH_PROGRAM, erases = opcode == LEVEE_FLASH_ERASE;
    if (programs || erases)
        check_writable(opcode, pages, cells_);
    add_streams(opcode, op, operation);
    if (programs)
        program(op, pages, operation);
    else if (erases)
        erase(pages, operation);
    else
        compute(opcode, op, pages, operation);
    take_time(opcode, op, pages, operation);
}

void Flash::read_floats(std::uint64_t address, std::uint64_t count, std::uint32_t field,
                        std::vector<float>& to)
{
    if (address != 0)
        View{queue, contiguous(address, count * sizeof(float)), field}.read(to);
}

/// Returns the results of a COMPUTE in their output format; empty in timing-only runs.
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
    products_.multiply(op, pages, input, sums);
    const std::uint64_t element = result_element(op);
    std::vector<std::uint8_t> results(sums.size() * element);
    for (std::size_t i = 0; i < sums.size(); ++i) { // Little endian, like the host.
        const float real = is_scaled(op) ? scaled(sums[i], i, op, factors) : 0.0f;
        const void* const from = is_scaled(op) ? static_cast<const void*>(&real) : &sums[i];
        std::memcpy(results.data() + i * element, from, element);
    }
    return results;
}

/// Executes COMPUTE, READ and FETCH.
void Flash::compute(std::uint8_t opcode, const Op& op, const PageAccesses& pages,
                    Operation& operation)
{
    std::vector<std::uint8_t> results, bytes;
    const bool computes = opcode == LEVEE_FLASH_COMPUTE;
    if (computes)
        results = results_of(op, pages);
    if (opcode == LEVEE_FLASH_FETCH)
        reader_.fetch_rows(op, pages, bytes);
    reader_.append_data(pages, bytes);
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

/// Executes PROGRAM. Timing-only runs program zeroes.
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
