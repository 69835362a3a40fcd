// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/bus_trace.hpp"

#include "platform/observe/trace/instruction_trace.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace levee::trace {

namespace {

std::string format_pattern(const AccessPattern& pattern)
{
    std::string text;
    for (std::size_t i = 0; i < pattern.count.size(); ++i)
        if (pattern.count[i] > 1)
            text +=
                std::to_string(pattern.count[i]) + "(" + std::to_string(pattern.stride[i]) + ")x";
    text += std::to_string(pattern.run_bytes);
    return pattern.scattered ? text + " scattered" : text;
}

std::string format_data(const tlm::tlm_generic_payload& payload)
{
    const unsigned bytes = payload.get_data_length();
    std::uint64_t value = 0;
    if (bytes > sizeof value || !payload.is_response_ok())
        return {};
    std::memcpy(&value, payload.get_data_ptr(), bytes);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), " =%0*" PRIx64, static_cast<int>(2 * bytes), value);
    return text.data();
}

const char* kind_of(const BulkExtension* bulk)
{
    if (bulk == nullptr)
        return "plain";
    switch (bulk->phase) {
    case BulkExtension::Phase::Open:
        return "open";
    case BulkExtension::Phase::Discard:
        return "drop";
    default:
        return "bulk";
    }
}

std::string line_of(const bus::Transaction& transaction, const std::string& initiator)
{
    const tlm::tlm_generic_payload& payload = *transaction.payload;
    const BulkExtension* const bulk = transaction.bulk;
    const char* const kind = kind_of(bulk);
    const bool write = bulk != nullptr ? bulk->direction == Direction::Write : payload.is_write();
    const std::uint64_t address = bulk != nullptr ? bulk->pattern.address : payload.get_address();
    const std::string what = bulk != nullptr
                                 ? format_pattern(bulk->pattern)
                                 : std::to_string(payload.get_data_length()) + format_data(payload);
    const sc_core::sc_time done = sc_core::sc_time_stamp() + transaction.delay;
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), "%14s  %-10s %-18s %-5s %-5s  %010" PRIx64 "  ",
                  nanoseconds(done.value()).c_str(), initiator.c_str(),
                  transaction.window != nullptr ? transaction.window->name.c_str() : "(nothing)",
                  kind, write ? "write" : "read", address);
    return text.data() + what + "  " +
           (payload.is_response_ok() ? "ok" : payload.get_response_string()) + "\n";
}

} // namespace

BusTrace::BusTrace(std::vector<std::string> initiators, std::set<std::string> only,
                   const std::filesystem::path& path, const Window* window)
    : initiators_(std::move(initiators)), only_(std::move(only)), window_(window), file_(path)
{
    file_.write("#  complete ns  initiator  window             kind  command  address   "
                "bytes or pattern, response\n");
}

void BusTrace::passed(const bus::Transaction& transaction)
{
    if (window_ != nullptr && !window_->has((sc_core::sc_time_stamp() + transaction.delay).value()))
        return;
    const std::string& initiator = initiators_[static_cast<std::size_t>(transaction.initiator)];
    const bool chosen = only_.empty() || only_.count(initiator) != 0 ||
                        (transaction.window != nullptr && only_.count(transaction.window->name));
    if (chosen)
        file_.write(line_of(transaction, initiator));
}

} // namespace levee::trace
