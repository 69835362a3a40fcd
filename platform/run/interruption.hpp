// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/stop_signals.hpp"

#include <systemc>

#include <functional>
#include <string>
#include <thread>

namespace levee {

/// Ends a simulation properly when a signal asks for it. Construct before the simulation starts.
class Interruption : public sc_core::sc_prim_channel {
public:
    /// `stop` is called within the simulation, with the signal's name, at most once; for an earlier
    /// signal it is called at the start.
    Interruption(StopSignals& signals, std::function<void(const std::string& signal)> stop);
    ~Interruption() override { end(); }

    /// Deactivates the object; must be called when the simulation has ended.
    void end();

private:
    void update() override
    {
        has_come_ = true; // the signal may come before anything waits for the event
        came_.notify(sc_core::SC_ZERO_TIME);
    }

    StopSignals& signals_;
    std::string signal_; // written before the update is requested
    bool has_come_ = false;
    sc_core::sc_event came_;
    std::thread waiting_;
};

} // namespace levee
