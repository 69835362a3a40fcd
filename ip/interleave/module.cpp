// SPDX-License-Identifier: Apache-2.0
#include "ip/interleave/module.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace levee::interleave {

namespace {

/// Makes `piece` the part of `payload` at `place`, starting with byte `done` of the payload.
void cut(tlm::tlm_generic_payload& piece, const tlm::tlm_generic_payload& payload,
         const Place& place, std::uint64_t done, std::uint64_t bytes)
{
    piece.set_command(payload.get_command());
    piece.set_address(place.offset);
    piece.set_data_ptr(payload.get_data_ptr() + done);
    piece.set_data_length(static_cast<unsigned>(bytes));
    piece.set_streaming_width(static_cast<unsigned>(bytes));
}

} // namespace

Interleaver::Interleaver(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), port("port"), config_(config)
{
    if (config.links.size() != config.division.ways() ||
        config.bytes % config.division.period() != 0)
        throw std::invalid_argument(
            std::string(this->name()) + ": " + std::to_string(config.links.size()) +
            " memories and " + std::to_string(config.bytes) +
            " bytes do not match the interleave; expected one memory per way, and whole "
            "periods");
    for (unsigned way = 0; way < config.division.ways(); ++way) {
        memories.emplace_back(("memory" + std::to_string(way)).c_str());
        bulk_.emplace_back(memories.back());
    }
    port.register_b_transport(this, &Interleaver::transport);
    port.register_get_direct_mem_ptr(this, &Interleaver::get_direct_mem_ptr);
    port.register_transport_dbg(this, &Interleaver::transport_debug);
}

void Interleaver::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* bulk = payload.get_extension<BulkExtension>())
        transport_bulk(payload, *bulk);
    else
        transport_plain(payload, delay);
}

/// Splits a single access into pieces. The memories work in parallel; each serves its pieces one
/// after another.
void Interleaver::transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    const std::uint64_t address = payload.get_address();
    const unsigned length = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (payload.get_streaming_width() < length) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (length > config_.bytes || address > config_.bytes - length) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    std::vector<sc_core::sc_time> delays(config_.division.ways(), delay);
    std::uint64_t done = 0;
    config_.division.for_each_piece(address, length, [&](const Place& place, std::uint64_t bytes) {
        tlm::tlm_generic_payload piece;
        cut(piece, payload, place, done, bytes);
        memories[place.way]->b_transport(piece, delays[place.way]);
        if (!piece.is_response_ok())
            payload.set_response_status(piece.get_response_status());
        done += bytes;
    });
    delay = *std::max_element(delays.begin(), delays.end());
}

void Interleaver::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    const auto extent = access.pattern.extent();
    bool good = extent && extent->last < config_.bytes;
    if (good && access.phase == BulkExtension::Phase::Open)
        good = open(access);
    else if (good && (payload.is_read() || payload.is_write()))
        good = move(payload, access);
    payload.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

/// Opens the streams of one operation on every link and memory that it uses.
bool Interleaver::open(BulkExtension& access)
{
    Picoseconds latency = 0;
    for (const Part& part : config_.division.divide(access.pattern, access.bytes)) {
        if (access.uses == nullptr) {
            if (!bulk_[part.way].allows(access.direction, part.pattern))
                return false;
            continue;
        }
        access.uses->push_back(
            FlowUse{config_.links[part.way], access.direction, part.pattern, part.bytes});
        if (!bulk_[part.way].open(access.direction, part.pattern, part.bytes, *access.uses,
                                  latency))
            return false;
    }
    access.latency += latency;
    access.region = {0, config_.bytes - 1, false, nullptr};
    return true;
}

bool Interleaver::move(const tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    std::uint8_t* packed = payload.get_data_ptr();
    bool good = true;
    access.pattern.for_each_run([&](std::uint64_t run) {
        config_.division.for_each_piece(
            run, access.pattern.run_bytes, [&](const Place& place, std::uint64_t bytes) {
                AccessPattern piece;
                piece.address = place.offset;
                piece.run_bytes = bytes;
                good &= payload.is_read() ? bulk_[place.way].read(piece, packed)
                                          : bulk_[place.way].write(piece, packed);
                packed += bytes;
            });
    });
    if (std::any_of(bulk_.begin(), bulk_.end(),
                    [](const BulkPort& way) { return way.awaits_writes(); }))
        access.posted = this;
    return good;
}

void Interleaver::await()
{
    for (BulkPort& way : bulk_)
        way.await_writes();
}

/// Always refuses: no host memory has the layout of the whole range.
bool Interleaver::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(config_.bytes - 1);
    return false;
}

unsigned Interleaver::transport_debug(tlm::tlm_generic_payload& payload)
{
    const std::uint64_t address = payload.get_address();
    if (address >= config_.bytes)
        return 0;
    const auto inside = std::min<std::uint64_t>(payload.get_data_length(), config_.bytes - address);
    unsigned moved = 0;
    config_.division.for_each_piece(address, inside, [&](const Place& place, std::uint64_t bytes) {
        tlm::tlm_generic_payload piece;
        cut(piece, payload, place, moved, bytes);
        moved += memories[place.way]->transport_dbg(piece);
    });
    return moved;
}

} // namespace levee::interleave
