// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/output.hpp"
#include "ip/edram/refresh.hpp"

#include <systemc>

#include <cstdint>
#include <memory>

namespace levee::edram {

/// The interface of refresh controllers for banks and rows.
class RefreshInterface : public virtual sc_core::sc_interface {
public:
    [[nodiscard]] virtual Refresh& refresh() = 0;
};

/// The refresh controllers of a memory: one for each bank, which all follow the same rules.
class RefreshController : public sc_core::sc_module, public RefreshInterface {
public:
    SC_HAS_PROCESS(RefreshController);
    sc_core::sc_export<RefreshInterface> control;
    Output<double> load; ///< largest share of a bank's time that refresh takes
    Output<std::uint64_t> valid_rows;

    RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                      const RefreshConfig& config);
    /// Makes a controller with other rules.
    RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                      std::unique_ptr<Refresh> rules);

    [[nodiscard]] Refresh& refresh() override { return *rules_; }
    /// Rows were added or removed, or their intervals changed.
    void changed()
    {
        if (observed_)
            changed_.notify(sc_core::SC_ZERO_TIME);
    }

private:
    void start_of_simulation() override;
    void publish();

    std::size_t pairs_; ///< pairs of banks
    std::unique_ptr<Refresh> rules_;
    bool observed_ = false; ///< an output is bound
    sc_core::sc_event changed_;
};

} // namespace levee::edram
