// SPDX-License-Identifier: Apache-2.0
#include "ip/cim/kept_matrices.hpp"

#include "core/abi/model_image.h"
#include "ip/cim/declaration.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::cim {

namespace {

struct Place {
    levee_cim_matrix which;
    std::uint64_t rows, columns;
    const char* name;
};

Place place_of(const Units& units, std::uint32_t kind)
{
    const std::uint64_t h = units.hidden, f = units.feed_forward;
    switch (kind) {
    case LEVEE_TENSOR_WQ:
        return {LEVEE_CIM_QKV, 3 * h, h, "W_Q, W_K and W_V"};
    case LEVEE_TENSOR_WO:
        return {LEVEE_CIM_OUTPUT, h, h, "W_O"};
    case LEVEE_TENSOR_W_GATE:
        return {LEVEE_CIM_EXPAND, f, h, "W_gate and W_up"};
    case LEVEE_TENSOR_W_UP:
        return {LEVEE_CIM_EXPAND, f, h, "W_up"};
    case LEVEE_TENSOR_W_DOWN:
        return {LEVEE_CIM_CONTRACT, h, f, "W_down"};
    default:
        throw std::invalid_argument(
            "gets a tensor of kind " + std::to_string(kind) +
            "; cores have macros only for the linear layers of decoder layers");
    }
}

void check(const Config& config, const ModelMatrix& matrix, const Place& place)
{
    const std::string what = std::string(place.name) + " of layer " + std::to_string(matrix.layer);
    if (matrix.layer >= config.cores)
        throw std::invalid_argument("gets " + what + "; it has " + std::to_string(config.cores) +
                                    " cores, each for one layer; expected a core for each layer");
    if (matrix.type != LEVEE_TYPE_INT8)
        throw std::invalid_argument("gets " + what + " with weights that are not INT8");
    if (matrix.rows > place.rows || matrix.columns > place.columns)
        throw std::invalid_argument(
            "gets " + what + " with " + std::to_string(matrix.rows) + " outputs and " +
            std::to_string(matrix.columns) + " inputs; a core fits at most this many: " +
            std::to_string(place.rows) + " and " + std::to_string(place.columns));
}

} // namespace

KeptMatrices keep(const Config& config, std::span<const ModelMatrix> matrices,
                  const StorageSink& sink)
{
    KeptMatrices kept;
    for (const ModelMatrix& matrix : matrices) {
        const Place place = place_of(config.units, matrix.kind);
        check(config, matrix, place);
        const std::uint64_t offset = config.offset_of(matrix.layer, place.which);
        for (std::uint32_t row = 0; row < matrix.rows && !matrix.data.empty(); ++row)
            sink(offset + std::uint64_t{row} * matrix.columns,
                 matrix.data.subspan(std::uint64_t{row} * matrix.row_bytes, matrix.columns));
        const levee_cim_kept record{
            matrix.kind, matrix.layer,   matrix.layer * LEVEE_CIM_MATRICES + place.which,
            matrix.rows, matrix.columns, matrix.columns};
        kept.records.emplace_back(sizeof record);
        std::memcpy(kept.records.back().data(), &record, sizeof record);
    }
    kept.bytes = config.bytes();
    return kept;
}

Intake take_in(const Config& config, std::span<const ModelMatrix> matrices, const RawSink& raw)
{
    const Units& units = config.units;
    std::uint64_t bytes = 0, macros = 0;
    for (const ModelMatrix& matrix : matrices) {
        bytes += std::uint64_t{matrix.rows} * matrix.columns;
        macros += units.macros(matrix.columns, matrix.rows);
    }
    (void)keep(config, matrices, [&](std::uint64_t, std::span<const std::uint8_t> row) {
        if (raw)
            raw(row);
    });
    const double cycles = static_cast<double>(bytes) * 8 / units.off_chip_bits_per_cycle;
    const auto time = config.clock.nearest(cycles);
    Intake intake;
    intake.facts = {
        {"weights", std::to_string(bytes) + " of " +
                        std::to_string(config.cores * units.weights()) + " bytes in all macros"},
        {"macros",
         std::to_string(macros) + " of " + std::to_string(config.cores * units.macros())}};
    intake.times = {{"read from off-chip memory", time}};
    intake.events = {{&loaded_event, bytes}, {&loading_event, time}};
    return intake;
}

} // namespace levee::cim
