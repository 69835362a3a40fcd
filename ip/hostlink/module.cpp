// SPDX-License-Identifier: Apache-2.0
#include "ip/hostlink/module.hpp"

#include <utility>

namespace levee::hostlink {
namespace {

constexpr unsigned max_name_bytes = 63;

bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

} // namespace

Hostlink::Hostlink(const sc_core::sc_module_name& name, Listener& listener)
    : sc_module(name), socket("socket"), memory("memory"), listener_(listener)
{
    socket.register_b_transport(this, &Hostlink::b_transport);
    add_registers();
}

void Hostlink::add_registers()
{
    registers_.add({"exit", LEVEE_HOSTLINK_EXIT, {}, [this](std::uint32_t value) {
                        listener_.on_exit(static_cast<int>(value), at());
                    }});
    registers_.add(
        {"phase", LEVEE_HOSTLINK_PHASE, {}, [this](std::uint32_t value) { set_phase(value); }});
    registers_.add({"sequence", LEVEE_HOSTLINK_SEQUENCE, {}, [this](std::uint32_t value) {
                        sequence_ = value;
                    }});
    registers_.add({"token", LEVEE_HOSTLINK_TOKEN, {}, [this](std::uint32_t id) {
                        listener_.on_token(sequence_, id, at());
                    }});
    registers_.add({"metric_name", LEVEE_HOSTLINK_METRIC_NAME, {}, [this](std::uint32_t value) {
                        name_address_ = value;
                    }});
    registers_.add({"value_lo", LEVEE_HOSTLINK_VALUE_LO, {}, [this](std::uint32_t value) {
                        value_lo_ = value;
                    }});
    registers_.add({"value_hi", LEVEE_HOSTLINK_VALUE_HI, {}, [this](std::uint32_t value) {
                        value_hi_ = value;
                    }});
    registers_.add(
        {"metric", LEVEE_HOSTLINK_METRIC, {}, [this](std::uint32_t kind) { record_metric(kind); }});
    registers_.add({"mark_kind", LEVEE_HOSTLINK_MARK_KIND, {}, [this](std::uint32_t value) {
                        mark_kind_ = value;
                    }});
    registers_.add({"mark_index", LEVEE_HOSTLINK_MARK_INDEX, {}, [this](std::uint32_t value) {
                        mark_index_ = value;
                    }});
    registers_.add({"mark_times", LEVEE_HOSTLINK_MARK_TIMES, {}, [this](std::uint32_t value) {
                        mark_times_ = static_cast<std::int32_t>(value);
                    }});
    registers_.add({"mark", LEVEE_HOSTLINK_MARK, {}, [this](std::uint32_t value) { mark(value); }});
    registers_.add(
        {"request", LEVEE_HOSTLINK_REQUEST, {}, [this](std::uint32_t value) { request_ = value; }});
    registers_.add({"request_event", LEVEE_HOSTLINK_REQUEST_EVENT, {}, [this](std::uint32_t value) {
                        report_request(value);
                    }});
    registers_.add({"stack_bottom", LEVEE_HOSTLINK_STACK_BOTTOM, {}, [this](std::uint32_t value) {
                        stack_bottom_ = value;
                    }});
    registers_.add({"stack_top", LEVEE_HOSTLINK_STACK_TOP, {}, [this](std::uint32_t value) {
                        name_stack(value);
                    }});
}

void Hostlink::report_request(std::uint32_t event)
{
    refused_ = event < LEVEE_REQUEST_TAKEN || event > LEVEE_REQUEST_DRAFTED;
    if (!refused_)
        listener_.on_request(static_cast<levee_request_event>(event), request_, at());
}

void Hostlink::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    delay_ = delay;
    refused_ = false;
    registers_.transport(payload);
    delay_ = sc_core::SC_ZERO_TIME;
    if (refused_)
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

sc_core::sc_time Hostlink::at() const
{
    return sc_core::sc_time_stamp() + delay_;
}

void Hostlink::set_phase(std::uint32_t value)
{
    if (value > LEVEE_PHASE_DECODE)
        refused_ = true;
    else
        listener_.on_phase(static_cast<levee_phase>(value), at());
}

void Hostlink::mark(std::uint32_t value)
{
    const bool known = mark_kind_ >= LEVEE_MARK_PREFILL_CHUNK && mark_kind_ <= LEVEE_MARK_LEFT_OUT;
    refused_ = value > 1 || (value == 1 ? !known : !open_mark_);
    if (refused_)
        return;
    end_mark();
    if (value == 0)
        return;
    open_mark_ = {static_cast<levee_mark>(mark_kind_), mark_index_,
                  std::exchange(mark_times_, LEVEE_MARK_ONCE)};
    listener_.on_mark(*open_mark_, true, at());
}

void Hostlink::end_mark()
{
    if (open_mark_)
        listener_.on_mark(*open_mark_, false, at());
    open_mark_.reset();
}

void Hostlink::name_stack(std::uint32_t top)
{
    refused_ = top <= stack_bottom_;
    if (!refused_)
        listener_.on_stack(stack_bottom_, top);
}

void Hostlink::record_metric(std::uint32_t kind)
{
    const bool known = kind >= LEVEE_METRIC_U64 && kind <= LEVEE_METRIC_F64;
    const auto metric = known ? read_name() : std::nullopt;
    if (!metric) {
        refused_ = true;
        return;
    }
    listener_.on_metric(*metric, static_cast<levee_metric_kind>(kind),
                        std::uint64_t{value_hi_} << 32 | value_lo_);
}

std::optional<std::string> Hostlink::read_name()
{
    std::string text;
    for (unsigned i = 0; i <= max_name_bytes; ++i) {
        unsigned char byte = 0;
        tlm::tlm_generic_payload payload;
        payload.set_read();
        payload.set_address(std::uint64_t{name_address_} + i);
        payload.set_data_ptr(&byte);
        payload.set_data_length(1);
        payload.set_streaming_width(1);
        if (memory->transport_dbg(payload) != 1)
            return std::nullopt;
        if (byte == 0)
            return text.empty() ? std::nullopt : std::optional(text);
        if (!is_name_character(static_cast<char>(byte)))
            return std::nullopt;
        text.push_back(static_cast<char>(byte));
    }
    return std::nullopt;
}

} // namespace levee::hostlink
