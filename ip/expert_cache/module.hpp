// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "core/units/data_mode.hpp"
#include "core/units/stats.hpp"
#include "ip/expert_cache/model.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <span>
#include <vector>

namespace levee::expert_cache {

struct Config {
    std::uint64_t bytes = 0; ///< Bytes of the address range, which is as large as the memory that
                             ///< contains all experts.
    DataMode data = DataMode::Functional;
};

struct Places {
    std::uint64_t experts = 0; ///< First byte of the memory that contains all experts.
    std::uint64_t copies = 0;  ///< First byte of the copies.
    std::uint64_t copies_bytes = 0;
};

/// Cache of experts. Its address range corresponds to that of the memory that contains all experts.
/// The most recently used experts have copies in a faster memory (README.md). The cache accesses
/// both memories through the bus.
class ExpertCache : public sc_core::sc_module {
public:
    TargetSocket port;
    InitiatorSocket memory;

    ExpertCache(const sc_core::sc_module_name& name, const Config& config);

    /// Sets the places of the experts, before the run. Earlier accesses are refused. Throws
    /// std::invalid_argument if not even one expert fits.
    void hold(std::span<const ExpertMatrices> experts, const Places& places);

    [[nodiscard]] std::uint64_t lookups() const { return hits_ + misses_; }
    void report(Stats& stats) const;

private:
    /// Traffic in both memories for a stream through matrices of one kind.
    struct Traffic {
        std::vector<std::uint64_t> hits, misses; ///< Addresses of copies.
        /// Addresses of the missed matrices in the memory that contains all experts.
        std::vector<std::uint64_t> missed;
    };

    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    [[nodiscard]] tlm::tlm_response_status transport_bulk(tlm::tlm_generic_payload& payload,
                                                          BulkExtension& access);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);
    [[nodiscard]] bool open(BulkExtension& access, const AccessPattern::Extent& extent);
    [[nodiscard]] bool open_around(BulkExtension& access);
    [[nodiscard]] bool open_through(BulkExtension& access, const AccessPattern::Extent& extent,
                                    const ExpertMatrices& experts);
    [[nodiscard]] Traffic look_up(const BulkExtension& access, const AccessPattern::Extent& extent,
                                  const ExpertMatrices& experts);
    void use(const Matrix& matrix, Traffic& traffic);
    void fill(const Matrix& matrix, std::uint64_t copy);
    [[nodiscard]] bool read(const AccessPattern& pattern, const AccessPattern::Extent& extent,
                            std::uint8_t* packed);
    [[nodiscard]] std::uint64_t copy_of(const Matrix& matrix, std::uint64_t slot) const;

    Config config_;
    Places places_;
    Layout layout_;
    Directory directory_;
    BulkPort bulk_;
    std::uint64_t hits_ = 0, misses_ = 0, filled_bytes_ = 0, read_bytes_ = 0;
};

} // namespace levee::expert_cache
