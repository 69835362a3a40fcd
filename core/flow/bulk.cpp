// SPDX-License-Identifier: Apache-2.0
#include "core/flow/bulk.hpp"

#include <algorithm>
#include <utility>

namespace levee {

bool BulkPort::open(Direction direction, const AccessPattern& pattern, std::uint64_t bytes,
                    std::vector<FlowUse>& uses, Picoseconds& latency,
                    std::span<const std::uint64_t> parts)
{
    BulkExtension access;
    access.phase = BulkExtension::Phase::Open;
    access.direction = direction;
    access.pattern = pattern;
    access.bytes = bytes;
    access.parts = parts;
    access.uses = &uses;
    access.first_use = uses.size();
    if (!transport(access, nullptr))
        return false;
    latency = std::max(latency, access.latency);
    return true;
}

bool BulkPort::allows(Direction direction, const AccessPattern& pattern)
{
    BulkExtension access;
    access.phase = BulkExtension::Phase::Open;
    access.direction = direction;
    access.pattern = pattern;
    return transport(access, nullptr);
}

BulkExtension::Region BulkPort::region(std::uint64_t address)
{
    BulkExtension access;
    access.phase = BulkExtension::Phase::Open;
    access.pattern.address = address;
    access.pattern.run_bytes = 1;
    if (!transport(access, nullptr))
        return {address, address, false, nullptr};
    return access.region;
}

bool BulkPort::read(const AccessPattern& pattern, std::uint8_t* packed)
{
    BulkExtension access;
    access.direction = Direction::Read;
    access.pattern = pattern;
    return transport(access, packed);
}

bool BulkPort::write(const AccessPattern& pattern, const std::uint8_t* packed)
{
    BulkExtension access;
    access.direction = Direction::Write;
    access.pattern = pattern;
    // TLM's data pointer is not const, but a write does not change its data.
    return transport(access, const_cast<std::uint8_t*>(packed));
}

bool BulkPort::discard(const AccessPattern& pattern)
{
    BulkExtension access;
    access.phase = BulkExtension::Phase::Discard;
    access.pattern = pattern;
    return transport(access, nullptr);
}

bool BulkPort::transport(BulkExtension& access, std::uint8_t* packed)
{
    const bool is_read = access.direction == Direction::Read;
    if (access.phase != BulkExtension::Phase::Data || packed == nullptr)
        payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    else
        payload_.set_command(is_read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload_.set_address(access.pattern.address);
    payload_.set_data_ptr(packed);
    payload_.set_data_length(packed == nullptr ? 0 : static_cast<unsigned>(access.pattern.bytes()));
    payload_.set_streaming_width(payload_.get_data_length());
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    // Detaches the extension even after an exception. Otherwise the payload would delete it.
    struct Attached {
        tlm::tlm_generic_payload& payload;
        BulkExtension& access;
        ~Attached() { payload.clear_extension(&access); }
    };
    payload_.set_extension(&access);
    const Attached attached{payload_, access};
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket_->b_transport(payload_, delay);
    if (access.posted != nullptr &&
        std::find(posted_.begin(), posted_.end(), access.posted) == posted_.end())
        posted_.push_back(access.posted);
    return payload_.is_response_ok();
}

void BulkPort::await_writes()
{
    for (PostedWrites* const writes : std::exchange(posted_, {}))
        writes->await();
}

} // namespace levee
