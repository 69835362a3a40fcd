// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/work.hpp"

#include "ip/element_serial/declaration.hpp"

namespace levee::element_serial {

namespace {

struct Counts {
    std::uint64_t add = 0, multiply = 0, exp = 0, divide = 0, sqrt = 0;
};

Counts of_reduce(const levee_es_operation& operation, const SerialCost& cost)
{
    const std::uint64_t e = cost.elements, with_y = operation.y != 0 ? e : 0;
    const std::uint64_t later_tiles = cost.tiles - cost.vectors;
    if (operation.function == LEVEE_ES_SOFTMAX)
        return {.add = 2 * e + with_y + 2 * later_tiles + cost.vectors,
                .multiply = e + later_tiles,
                .exp = e + later_tiles};
    return {.add = 2 * e + with_y + 2 * later_tiles + 2 * cost.vectors, .multiply = e};
}

Counts of_normalise(const levee_es_operation& operation, const SerialCost& cost)
{
    const std::uint64_t e = cost.elements, v = cost.vectors;
    if (operation.function == LEVEE_ES_SOFTMAX)
        return {.add = e, .multiply = e, .exp = e, .divide = v};
    const std::uint64_t gain = operation.gain != 0 ? e : 0, bias = operation.bias != 0 ? e : 0;
    if (operation.function == LEVEE_ES_RMS_NORM)
        return {.add = bias + v, .multiply = e + gain, .divide = 2 * v, .sqrt = v};
    return {.add = e + bias + 2 * v, .multiply = e + gain + v, .divide = 3 * v, .sqrt = v};
}

} // namespace

void count_work(std::uint8_t opcode, const levee_es_operation& operation, const SerialCost& cost,
                std::vector<CountedEvent>& work)
{
    const Counts counts =
        opcode == LEVEE_ES_REDUCE ? of_reduce(operation, cost) : of_normalise(operation, cost);
    const auto add = [&work](const EnergyEvent& event, std::uint64_t count) {
        if (count > 0)
            work.push_back({&event, count});
    };
    add(add_event, counts.add);
    add(multiply_event, counts.multiply);
    add(exp_event, counts.exp);
    add(divide_event, counts.divide);
    add(sqrt_event, counts.sqrt);
}

} // namespace levee::element_serial
