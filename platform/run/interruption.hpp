// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/run/stop_signals.hpp"

#include <systemc>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace levee {

/// Ends a simulation in order when a signal asks for it. Construct before the simulation starts.
class Interruption : public sc_core::sc_prim_channel {
public:
    /// `stop` is called within the simulation, with the signal's name, at most once.
    explicit Interruption(std::function<void(const std::string& signal)> stop);
    ~Interruption() override { end(); }

    /// Signals have their usual effect again; to be called when the simulation has ended.
    void end();

private:
    void update() override { came_.notify(sc_core::SC_ZERO_TIME); }

    std::optional<StopSignals> signals_{std::in_place};
    std::string signal_; // written before the update is requested
    sc_core::sc_event came_;
    std::thread waiting_;
};

} // namespace levee
