// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/storage.hpp"
#include "ip/cim/pass.hpp"

#include <map>
#include <optional>
#include <vector>

namespace levee::cim {

/// Data that a core has read for its layer.
struct Core {
    std::optional<levee_cim_model> model; ///< Model that the data belong to; empty: nothing is read
                                          ///< yet.
    Parameters parameters;
    std::map<std::uint32_t, std::uint32_t> levels;      ///< Number of levels whose scales are
                                                        ///< already written, by entry.
    std::map<std::uint32_t, CompressedPair> compressed; ///< Compressed rows, by entry of the batch.
    bool loaded = false;                                ///< Whether the loading of the weights has
                                                        ///< been accounted for.
};

class Cores {
public:
    Cores(CommandQueue& queue, const Config& config)
        : queue_(queue), config_(config), storage_(config.bytes()), cores_(config.cores)
    {
    }

    [[nodiscard]] Storage& storage() { return storage_; }
    [[nodiscard]] Core& operator[](std::uint32_t layer) { return cores_[layer]; }
    /// Compressed keys and values of an entry.
    [[nodiscard]] CompressedPair& pair_of(const Pass& pass, std::uint32_t layer,
                                          std::uint32_t entry)
    {
        return cores_[layer].compressed[pass.op.first_entry + entry];
    }
    /// Reads the layer's data except its matrices, if the core does not have them for this model
    /// yet. Throws CommandFault.
    void tell(const Pass& pass, std::uint32_t layer);

private:
    void tell_matrix(const Pass& pass, std::uint32_t layer, std::uint32_t which,
                     const levee_cim_layer& record);
    void read_floats(std::uint64_t address, std::uint64_t count, std::vector<float>& to);

    CommandQueue& queue_;
    const Config& config_;
    Storage storage_;
    std::vector<Core> cores_;
};

} // namespace levee::cim
