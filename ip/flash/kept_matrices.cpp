// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/kept_matrices.hpp"

#include <cstring>
#include <set>
#include <utility>

namespace levee::flash {

namespace {

Placer placer_for(const Config& config, const PlacingConfig& placing)
{
    return {config.cells.geometry, config.timing, config.sent_bytes(config.npu_ecc), placing};
}

} // namespace

Intake take_in(const Config& config, const PlacingConfig& placing,
               std::span<const ModelMatrix> matrices, const RawSink& raw)
{
    Placer placer = placer_for(config, placing);
    MatrixIntake intake(config);
    for (const ModelMatrix& matrix : matrices) {
        const levee_flash_kept one = placer.place(matrix);
        intake.add(one);
        if (raw)
            placer.write(matrix, one,
                         [&](std::uint64_t offset, std::span<const std::uint8_t> page) {
                             intake.write_page(offset / page.size(), page, raw);
                         });
    }
    return intake.result();
}

KeptMatrices keep(const Config& config, const PlacingConfig& placing,
                  std::span<const ModelMatrix> matrices, const StorageSink& sink)
{
    Placer placer = placer_for(config, placing);
    KeptMatrices kept;
    std::set<std::pair<std::uint32_t, std::uint32_t>> described;
    for (const ModelMatrix& matrix : matrices) {
        if (described.emplace(matrix.rows, matrix.columns).second)
            kept.choices.push_back(placer.describe(matrix));
        const levee_flash_kept one = placer.place(matrix);
        placer.write(matrix, one, sink);
        const auto bytes = std::as_bytes(std::span(&one, 1));
        kept.records.emplace_back(sizeof one);
        std::memcpy(kept.records.back().data(), bytes.data(), bytes.size());
    }
    kept.bytes = placer.bytes();
    return kept;
}

} // namespace levee::flash
