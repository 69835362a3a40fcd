// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/stop_signals.hpp"

#include <systemc>

#include <functional>
#include <string>
#include <thread>

namespace levee {

/// Ends a simulation in an orderly way when a signal requests it. Must be constructed before the
/// simulation starts.
class Interruption : public sc_core::sc_prim_channel {
public:
    /// `stop` is called within the simulation, at most once, with the signal's name. If the signal
    /// arrives before the simulation starts, `stop` is called when it starts.
    Interruption(StopSignals& signals, std::function<void(const std::string& signal)> stop);
    ~Interruption() override { end(); }

    /// Must be called when the simulation has ended. Signals then have no effect.
    void end();

private:
    void update() override
    {
        has_come_ = true; // the signal may come before any process waits for the event
        came_.notify(sc_core::SC_ZERO_TIME);
    }

    StopSignals& signals_;
    std::string signal_; // written before the update is requested
    bool has_come_ = false;
    sc_core::sc_event came_;
    std::thread waiting_;
};

} // namespace levee
