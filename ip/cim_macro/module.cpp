// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/module.hpp"

#include "core/command/view.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/cim_macro/declaration.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace levee::cim_macro {

namespace {

using Op = levee_cim_macro_operation;

constexpr std::uint32_t most_vectors =
    1u << 20; // More vectors can only come from a corrupt descriptor.
constexpr std::uint32_t field_data = operation_field(offsetof(Op, data));
constexpr std::uint32_t field_out = operation_field(offsetof(Op, out));

} // namespace

CimMacro::CimMacro(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
                   std::unique_ptr<Engine> engine)
    : sc_module(name), queue("queue", config.queue, declaration, *this, fabric), config_(config),
      engine_(std::move(engine))
{
    queue.register_file().add(
        {"INPUTS", LEVEE_CIM_MACRO_INPUTS, [this] { return config_.shape.inputs; }, {}});
    queue.register_file().add(
        {"OUTPUTS", LEVEE_CIM_MACRO_OUTPUTS, [this] { return config_.shape.outputs; }, {}});
}

void CimMacro::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    check(descriptor.opcode);
    if (descriptor.opcode == LEVEE_CIM_MACRO_LOAD)
        load(operation);
    else
        multiply(operation);
}

void CimMacro::check(std::uint8_t opcode) const
{
    const bool multiplies = opcode == LEVEE_CIM_MACRO_PRODUCT;
    if (!multiplies && opcode != LEVEE_CIM_MACRO_LOAD)
        throw CommandFault{LEVEE_ERROR_OPCODE, offsetof(levee_descriptor, opcode)};
    const auto need = [](bool good, levee_command_error code, std::size_t member) {
        need_field(good, code, member);
    };
    need(op_.data != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, data));
    need(std::ranges::all_of(op_.reserved, [](std::uint8_t byte) { return byte == 0; }),
         LEVEE_ERROR_FIELD, offsetof(Op, reserved));
    if (!multiplies)
        return;
    need(is_loaded_, LEVEE_ERROR_FIELD, offsetof(Op, data));
    need(op_.count > 0 && op_.count <= most_vectors, LEVEE_ERROR_FIELD, offsetof(Op, count));
    need(op_.type == LEVEE_TYPE_INT8 || op_.type == LEVEE_TYPE_INT16, LEVEE_ERROR_FIELD,
         offsetof(Op, type));
    need(op_.type == LEVEE_TYPE_INT8 || config_.shape.inputs <= most_wide_inputs, LEVEE_ERROR_FIELD,
         offsetof(Op, type));
    const std::uint64_t unit = alignment_of(op_.type);
    need(op_.data % unit == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, data));
    need(op_.stride % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
         offsetof(Op, stride));
    need(op_.out != 0 && op_.out % sizeof(std::int32_t) == 0, LEVEE_ERROR_ADDRESS,
         offsetof(Op, out));
    need(op_.out_stride % static_cast<int>(sizeof(std::int32_t)) == 0, LEVEE_ERROR_ADDRESS,
         offsetof(Op, out_stride));
}

AccessPattern CimMacro::in(std::uint64_t rows, std::uint64_t row_bytes) const
{
    AccessPattern pattern;
    pattern.address = op_.data;
    pattern.run_bytes = row_bytes;
    pattern.count[2] = rows;
    pattern.stride[2] = op_.stride;
    return pattern;
}

/// Returns the access to the results of vectors [first, last).
AccessPattern CimMacro::out(std::uint32_t first, std::uint32_t last) const
{
    AccessPattern pattern;
    pattern.address = offset_by(op_.out, op_.out_stride, first);
    pattern.run_bytes = std::uint64_t{config_.shape.outputs} * sizeof(std::int32_t);
    pattern.count[2] = last - first;
    pattern.stride[2] = op_.out_stride;
    return pattern;
}

void CimMacro::load(Operation& operation)
{
    const Shape& shape = config_.shape;
    const AccessPattern from = in(shape.inputs, shape.outputs);
    queue.add_stream(operation, Direction::Read, from, from.bytes(), field_data);
    operation.commit = [](std::uint32_t, std::uint32_t) {};
    operation.job.activity.minimum = config_.clock.span(shape.inputs);
    operation.work.push_back({&weight_event, from.bytes()});
    cycles_ += shape.inputs;
    is_loaded_ = true;
    if (View{queue, from, field_data}.read(weights_) && engine_ != nullptr)
        engine_->load(weights_);
}

void CimMacro::multiply(Operation& operation)
{
    const auto type = op_.type == LEVEE_TYPE_INT16 ? InputType::Int16 : InputType::Int8;
    const Shape& shape = config_.shape;
    const AccessPattern from = in(op_.count, bytes_of(shape.inputs, op_.type));
    const AccessPattern to = out(0, op_.count);
    queue.add_stream(operation, Direction::Read, from, from.bytes(), field_data);
    queue.add_stream(operation, Direction::Write, to, to.bytes(), field_out);
    const std::uint64_t cycles = op_.count * vector_cycles(type);
    const std::uint64_t macs =
        std::uint64_t{op_.count} * passes(type) * shape.inputs * shape.outputs;
    operation.iterations = op_.count;
    operation.job.activity.minimum = config_.clock.span(cycles);
    operation.work.push_back({&mac_event, macs});
    cycles_ += cycles;
    macs_ += macs;
    vectors_ += op_.count;
    operation.commit = [this, sums = products_of(read_vectors())](std::uint32_t first,
                                                                  std::uint32_t last) {
        View{queue, out(first, last), field_out}.write(sums,
                                                       std::size_t{first} * config_.shape.outputs);
    };
}

/// Reads the vectors of a PRODUCT; returns none in timing-only runs.
std::vector<std::vector<std::int16_t>> CimMacro::read_vectors()
{
    const std::uint32_t inputs = config_.shape.inputs;
    const AccessPattern from = in(op_.count, bytes_of(inputs, op_.type));
    std::vector<std::int16_t> elements;
    if (op_.type == LEVEE_TYPE_INT16) {
        View{queue, from, field_data}.read(elements);
    } else {
        std::vector<std::int8_t> bytes;
        View{queue, from, field_data}.read(bytes);
        elements.assign(bytes.begin(), bytes.end());
    }
    std::vector<std::vector<std::int16_t>> vectors;
    for (auto at = elements.begin(); at != elements.end(); at += inputs)
        vectors.emplace_back(at, at + inputs);
    return vectors;
}

std::vector<std::int32_t>
CimMacro::products_of(const std::vector<std::vector<std::int16_t>>& vectors)
{
    const auto type = op_.type == LEVEE_TYPE_INT16 ? InputType::Int16 : InputType::Int8;
    std::vector<std::int32_t> all;
    if (engine_ != nullptr && !vectors.empty()) {
        for (const std::vector<std::int32_t>& sums : engine_->multiply(vectors, type))
            all.insert(all.end(), sums.begin(), sums.end());
        return all;
    }
    for (const std::vector<std::int16_t>& vector : vectors) {
        const std::vector<std::int32_t> sums = cim_macro::multiply(config_.shape, weights_, vector);
        all.insert(all.end(), sums.begin(), sums.end());
    }
    return all;
}

void CimMacro::report(Stats& stats) const
{
    queue.report(stats);
    stats.add("vectors", vectors_);
    stats.add("macs", macs_);
    stats.add("cycles", cycles_);
}

} // namespace levee::cim_macro
