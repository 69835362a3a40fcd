#include "ip/common/streams.hpp"

#include "ip/common/descriptor.h"

#include <algorithm>
#include <utility>

namespace levee {

void StreamPort::offer(Operation& operation)
{
    while (offered_ != nullptr)
        sc_core::wait(changed_);
    offered_ = &operation;
    changed_.notify(sc_core::SC_ZERO_TIME);
}

Operation& StreamPort::accept()
{
    while (offered_ == nullptr)
        sc_core::wait(changed_);
    changed_.notify(sc_core::SC_ZERO_TIME);
    return *std::exchange(offered_, nullptr);
}

void StreamPort::price(std::span<const FlowUse* const> mix, std::span<const double>,
                       std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(),
                1e12 / static_cast<double>(config_.bytes_per_second));
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
