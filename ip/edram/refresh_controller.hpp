// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/output.hpp"
#include "ip/edram/refresh.hpp"

#include <systemc>

#include <cstdint>
#include <memory>

namespace levee::edram {

/// Gives the banks access to the refresh controllers of their memory.
class RefreshInterface : public virtual sc_core::sc_interface {
public:
    [[nodiscard]] virtual Refresh& refresh() = 0;
};

class RefreshController : public sc_core::sc_module, public RefreshInterface {
public:
    SC_HAS_PROCESS(RefreshController);
    sc_core::sc_export<RefreshInterface> control;
    Output<double> load; ///< Largest share of a bank's time that refresh takes.
    Output<std::uint64_t> valid_rows;

    RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                      const RefreshConfig& config);
    /// Creates a controller module for a Refresh with other rules.
    RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                      std::unique_ptr<Refresh> rules);

    [[nodiscard]] Refresh& refresh() override { return *rules_; }
    /// Updates the outputs after a change of valid rows or intervals.
    void changed()
    {
        if (observed_)
            changed_.notify(sc_core::SC_ZERO_TIME);
    }

private:
    void start_of_simulation() override;
    void publish();

    std::size_t pairs_; ///< Number of pairs of banks.
    std::unique_ptr<Refresh> rules_;
    bool observed_ = false; ///< Whether an output is bound.
    sc_core::sc_event changed_;
};

} // namespace levee::edram
