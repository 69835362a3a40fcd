// SPDX-License-Identifier: Apache-2.0
#include "platform/run/interruption.hpp"

#include <utility>

namespace levee {

Interruption::Interruption(StopSignals& signals,
                           std::function<void(const std::string& signal)> stop)
    : sc_prim_channel("interruption"), signals_(signals)
{
    sc_core::sc_spawn(
        [this, stop = std::move(stop)] {
            if (!has_come_)
                sc_core::wait(came_);
            stop(signal_);
        },
        "interrupted");
    waiting_ = std::thread([this] {
        signal_ = signals_.wait();
        if (!signal_.empty())
            async_request_update();
    });
}

void Interruption::end()
{
    if (!waiting_.joinable())
        return;
    signals_.release();
    waiting_.join();
}

} // namespace levee
