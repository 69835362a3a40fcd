// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/module.hpp"

#include "core/units/clock.hpp"

#include <algorithm>
#include <utility>

namespace levee::flash {

namespace {

std::uint32_t low(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}

} // namespace

Flash::Link::Link(std::string name, std::uint64_t rate)
    : FlowResource({FlowAccount::Kind::Stream, name}, name + ".link"), bytes_per_second(rate)
{
}

void Flash::Link::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                        std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), ps_per_byte_at(bytes_per_second));
}

Flash::Flash(const sc_core::sc_module_name& name, const Config& config, Fabric fabric,
             std::unique_ptr<Decoder> decoder)
    : sc_module(name), FlowResource({FlowAccount::Kind::Storage, this->name()}),
      queue("queue", config.queue, declaration, *this, fabric), port("port"), config_(config),
      failures_(config.failed), cells_(config.cells, std::move(decoder)),
      channels_(config.cells.geometry, config.channels, config.parts),
      reader_(config_, failures_, cells_, fabric.data), products_(config_, reader_),
      requests_(config.cells.geometry), link_(this->name(), config.link_bytes_per_second)
{
    port.register_b_transport(this, &Flash::transport);
    port.register_transport_dbg(this, &Flash::transport_debug);
    describe_registers();
}

void Flash::end_of_elaboration()
{
    const bool replaced = config_.parts.slice_control || config_.parts.core;
    schedule_.emplace(config_.cells.geometry, config_.channels, config_.sent_bytes(config_.npu_ecc),
                      config_.sent_bytes(true),
                      replaced ? channels_.parts() : std::vector<ChannelParts>{});
    if (!inside_ && !channels_.observed())
        return;
    schedule_->observe([this](std::uint32_t channel, const Span& step) {
        if (inside_)
            requests_.add(channel, step);
        if (channels_.observed())
            channels_.add(channel, step);
    });
}

void Flash::describe_registers()
{
    RegisterFile& registers = queue.register_file();
    const Geometry& geometry = config_.cells.geometry;
    const TimingConfig& timing = config_.timing;
    const auto constant = [&](const char* name, std::uint32_t offset, std::uint64_t value) {
        registers.add({name, offset, [value] { return low(value); }, {}});
    };
    constant("CHANNELS", LEVEE_FLASH_CHANNELS, geometry.channels);
    constant("DIES", LEVEE_FLASH_DIES, geometry.dies_per_channel());
    constant("PLANES", LEVEE_FLASH_PLANES, geometry.planes);
    constant("PLANE_PAGES", LEVEE_FLASH_PLANE_PAGES, geometry.pages_per_plane());
    constant("BLOCK_PAGES", LEVEE_FLASH_BLOCK_PAGES, geometry.pages);
    constant("PAGE_BYTES", LEVEE_FLASH_PAGE_BYTES, geometry.page_bytes);
    constant("BUFFER_BYTES", LEVEE_FLASH_BUFFER_BYTES, timing.buffer_bytes);
    constant("READ_NS", LEVEE_FLASH_READ_NS, divide_up(timing.read, 1000));
    constant("CHANNEL_MBPS", LEVEE_FLASH_CHANNEL_MBPS, timing.channel_bytes_per_second / 1'000'000);
    const auto counter = [&](const char* name, std::uint32_t offset, auto value) {
        registers.add({name, offset, [this, value] { return low(value(cells_.counts())); }, {}});
    };
    counter("CLAMPED", LEVEE_FLASH_CLAMPED,
            [](const CellCounts& counts) { return counts.decoding.clamped; });
    counter("CORRECTED", LEVEE_FLASH_CORRECTED,
            [](const CellCounts& counts) { return counts.decoding.corrected_values; });
    counter("DROPPED", LEVEE_FLASH_DROPPED, [](const CellCounts& counts) {
        return counts.decoding.dropped + counts.decoding.outside;
    });
    counter("SATURATED", LEVEE_FLASH_SATURATED,
            [this](const CellCounts&) { return products_.saturated(); });
    counter("WORST_CYCLES", LEVEE_FLASH_WORST_CYCLES,
            [this](const CellCounts&) { return cells_.most_cycles(); });
}

InnerSpans Flash::inside()
{
    return {requests_.tracks(), [this](InnerSpanSink sink) { inside_ = std::move(sink); }};
}

void Flash::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    cells_.load(offset, bytes);
}

void Flash::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                  std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), ps_per_byte_at(config_.read_bytes_per_second()));
}

void Flash::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* const bulk = payload.get_extension<BulkExtension>())
        return transport_bulk(payload, *bulk);
    const std::uint64_t bytes = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (payload.get_streaming_width() < bytes) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (!payload.is_read()) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (!cells_.written().holds(payload.get_address(), bytes)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    reader_.read_bytes(payload.get_address(), bytes, payload.get_data_ptr());
    read_bytes_ += bytes;
    const TimingConfig& timing = config_.timing;
    const std::uint64_t page = config_.cells.geometry.page_bytes;
    const std::uint64_t pages = (payload.get_address() % page + bytes + page - 1) / page;
    const std::uint64_t codes = pages * (config_.sent_bytes(config_.npu_ecc) - page);
    by_address_.pages += pages;
    by_address_.sent_bytes += bytes + codes;
    delay += sc_core::sc_time::from_value(timing.command + timing.read +
                                          timing.transfer(bytes + codes) + config_.link_latency);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void Flash::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    if (access.phase == BulkExtension::Phase::Discard) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    if (access.direction == Direction::Write) { // Writes by address are refused; firmware programs
                                                // pages instead.
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (!cells_.written().holds(access.pattern)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (access.phase == BulkExtension::Phase::Open) {
        const TimingConfig& timing = config_.timing;
        access.pass_through(*this, timing.command + timing.read);
        const std::uint64_t sent = config_.with_codes(access.bytes);
        access.pass_in_part(link_, sent);
        access.latency += config_.link_latency;
        access.region = {0, cells_.bytes() - 1, true, nullptr};
        link_bytes_ += sent;
        read_bytes_ += access.bytes;
        by_address_.pages += divide_up(access.bytes, config_.cells.geometry.page_bytes);
        by_address_.sent_bytes += sent;
    } else if (payload.is_read()) {
        std::uint8_t* to = payload.get_data_ptr();
        const AccessPattern runs = access.pattern.merged();
        runs.for_each_run([&](std::uint64_t address) {
            reader_.read_bytes(address, runs.run_bytes, to);
            to += runs.run_bytes;
        });
    }
}

unsigned Flash::transport_debug(tlm::tlm_generic_payload& payload)
{
    if (!payload.is_read())
        return 0;
    const std::uint64_t address = payload.get_address();
    Storage& written = cells_.written();
    if (address >= written.size())
        return 0;
    const std::uint64_t count =
        std::min<std::uint64_t>(payload.get_data_length(), written.size() - address);
    std::copy_n(written.data() + address, count, payload.get_data_ptr());
    return static_cast<unsigned>(count);
}

void Flash::report(Stats& stats) const
{
    queue.report(stats);
    ChannelCounts sum;
    for (std::uint32_t i = 0; schedule_ && i < config_.cells.geometry.channels; ++i)
        sum.add(schedule_->counts(i));
    const CellCounts& cells = cells_.counts();
    stats.add("read_pages", sum.requests[static_cast<std::size_t>(RequestKind::Read)]);
    stats.add("computed_pages", sum.requests[static_cast<std::size_t>(RequestKind::ReadCompute)]);
    stats.add("programmed_pages", cells.programs);
    stats.add("erased_blocks", cells.erases);
    stats.add("loaded_pages", cells.loaded, FigureKind::Level);
    stats.add("channel_bytes",
              sum.input_bytes + sum.result_bytes + sum.data_out_bytes + sum.data_in_bytes);
    stats.add("vector_bytes", sum.input_bytes + sum.result_bytes);
    stats.add("channel_busy_s", seconds(sum.bus_busy));
    stats.add("core_busy_s", seconds(sum.compute_busy));
    stats.add("array_busy_s", seconds(sum.sense_busy));
    stats.add("link_bytes", link_bytes_);
    if (read_bytes_ != 0)
        stats.add("read_bytes", read_bytes_);
    products_.report(stats);
    stats.add("raw_bit_errors", cells.raw_bit_errors);
    stats.add("corrected_values", cells.decoding.corrected_values);
    stats.add("clamped_values", cells.decoding.clamped);
    stats.add("corrected_addresses", cells.decoding.corrected_addresses);
    stats.add("dropped_records", cells.decoding.dropped + cells.decoding.outside);
    stats.add("misplaced_records", cells.misplaced);
    stats.add("lost_pages", reader_.lost_pages());
    stats.add("worst_cycles", cells_.most_cycles(), FigureKind::Level);
    stats.add("worn_blocks", cells.worn_blocks);
}

} // namespace levee::flash
