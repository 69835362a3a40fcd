// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/refresh_controller.hpp"
#include "ip/edram/side.hpp"

#include <systemc>

#include <optional>
#include <string>

namespace levee::edram {

class BankGroup : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(BankGroup);
    sc_core::sc_port<RefreshInterface> refresh;
    Output<unsigned> streams; ///< Streams that use the banks at present.

    /// The parameters are those of Side. Bytes are accounted to the component `memory`.
    BankGroup(const sc_core::sc_module_name& name, const Geometry& geometry, unsigned number,
              Picoseconds access, std::string memory);

    /// The resource that divides the banks' time among streams. Available after elaboration.
    [[nodiscard]] FlowResource& banks() { return *banks_; }

private:
    class Banks : public Side {
    public:
        Banks(BankGroup& group, const Geometry& geometry, unsigned number, Picoseconds access,
              const Refresh& refresh, std::string name)
            : Side(geometry, number, access, refresh, std::move(name)), group_(group)
        {
        }
        void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand> demand,
                   std::span<double> ps_per_byte) override;

    private:
        BankGroup& group_;
    };

    void end_of_elaboration() override;
    void publish();

    Geometry geometry_;
    unsigned number_;
    Picoseconds access_;
    std::string memory_;
    std::optional<Banks> banks_;
    unsigned sharing_ = 0;
    sc_core::sc_event changed_;
};

} // namespace levee::edram
