// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim/compressed.hpp"
#include "ip/cim/config.hpp"
#include "ip/cim/fields.hpp"
#include "ip/cim/layer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::cim {

/// A checked descriptor with the records that it points to.
struct Pass {
    levee_cim_operation op;
    levee_cim_model model;
    Shape shape;
    std::vector<std::uint32_t> lengths; ///< Sequence lengths by entry.
    levee_cim_packed packed;            ///< Valid if op.packed is not 0.

    [[nodiscard]] std::size_t channels() const ///< Number of channels, summed over KV heads.
    {
        return std::size_t{model.kv_heads} * model.head_dim;
    }

    [[nodiscard]] Work work(std::uint32_t entry) const
    {
        return {op.rows, lengths[entry] - op.rows};
    }
    [[nodiscard]] std::uint64_t x_bytes(std::uint32_t width) const
    {
        return std::uint64_t{op.entries} * op.rows * width * sizeof(float);
    }
};

/// Reads and checks the current operation. Throws CommandFault.
[[nodiscard]] Pass read_pass(CommandQueue& queue, const Config& config, std::uint8_t opcode);

/// New keys and values of a layer and entry, which have not been written yet.
struct Stored {
    std::uint32_t layer = 0, entry = 0;
    Cached keys{}, values{};
    /// With op.packed: packed rows. They replace the vectors.
    std::array<std::vector<CompressedRows::Packed>, 2> packed{};
    std::size_t first_row = 0, rows = 0; ///< With op.packed: the new rows.
    Compression measured{};              ///< With op.packed: measured sparsity and bits.
    std::uint64_t moved = 0;             ///< With op.packed: bytes read and written.
};

} // namespace levee::cim
