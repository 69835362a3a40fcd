// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/bulk.hpp"
#include "core/flow/sockets.hpp"
#include "ip/interleave/model.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <vector>

namespace levee::interleave {

struct Config {
    Division division;
    std::uint64_t bytes;              ///< Bytes of the whole range.
    std::vector<FlowResource*> links; ///< The links to the memories, which streams share.
};

/// Several memories as one range of addresses (README.md). The memories must not track single
/// accesses (BulkExtension::Region::tracked). Direct memory access is refused.
class Interleaver : public sc_core::sc_module, private PostedWrites {
public:
    TargetSocket port;
    std::deque<InitiatorSocket> memories;

    Interleaver(const sc_core::sc_module_name& name, const Config& config);

private:
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access);
    [[nodiscard]] bool open(BulkExtension& access);
    [[nodiscard]] bool move(const tlm::tlm_generic_payload& payload, BulkExtension& access);
    void await() override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
    unsigned transport_debug(tlm::tlm_generic_payload& payload);

    Config config_;
    std::deque<BulkPort> bulk_;
};

} // namespace levee::interleave
