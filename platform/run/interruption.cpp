// SPDX-License-Identifier: Apache-2.0
#include "platform/run/interruption.hpp"

#include <utility>

namespace levee {

Interruption::Interruption(std::function<void(const std::string& signal)> stop)
    : sc_prim_channel("interruption")
{
    sc_core::sc_spawn(
        [this, stop = std::move(stop)] {
            sc_core::wait(came_);
            stop(signal_);
        },
        "interrupted");
    waiting_ = std::thread([this] {
        signal_ = signals_->wait();
        if (!signal_.empty())
            async_request_update();
    });
}

void Interruption::end()
{
    if (!signals_)
        return;
    signals_->release();
    waiting_.join();
    signals_.reset();
}

} // namespace levee
