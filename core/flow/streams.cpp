// SPDX-License-Identifier: Apache-2.0
#include "core/flow/streams.hpp"

#include "core/abi/descriptor.h"

#include <algorithm>
#include <utility>

namespace levee {

bool StreamPort::offer(Operation& operation)
{
    if (offered_ != nullptr)
        return false;
    offered_ = &operation;
    changed_.notify(sc_core::SC_ZERO_TIME);
    return true;
}

Operation* StreamPort::accept()
{
    if (offered_ != nullptr)
        changed_.notify(sc_core::SC_ZERO_TIME);
    return std::exchange(offered_, nullptr);
}

bool StreamPort::withdraw(const Operation& operation)
{
    return offered_ == &operation && accept() != nullptr;
}

void StreamPort::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                       std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), ps_per_byte_at(config_.bytes_per_second));
}

StreamPorts::StreamPorts(const std::vector<StreamPortConfig>& configs)
{
    for (const StreamPortConfig& config : configs)
        ports_.emplace_back(config);
}

bool StreamPorts::is_stream(std::uint64_t tensor_address)
{
    return tensor_address >= LEVEE_STREAM_BASE;
}

StreamPort* StreamPorts::find(std::uint64_t tensor_address)
{
    const std::uint64_t port = tensor_address - LEVEE_STREAM_BASE;
    return is_stream(tensor_address) && port < ports_.size() ? &ports_[port] : nullptr;
}

} // namespace levee
