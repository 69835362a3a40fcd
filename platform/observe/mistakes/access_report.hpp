// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/names.hpp"

#include <cstdint>
#include <string>

namespace levee::mistakes {

/// Reports the cause of a failed load, store or fetch when the core takes the exception.
class AccessReport : private bus::BusObserver {
public:
    explicit AccessReport(const Context& context);
    ~AccessReport() override;
    AccessReport(const AccessReport&) = delete;
    AccessReport& operator=(const AccessReport&) = delete;

private:
    void passed(const bus::Transaction& transaction) override;
    void on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc);
    [[nodiscard]] std::string instruction(std::uint32_t pc) const;
    [[nodiscard]] std::string reason(std::uint32_t address, bool write) const;
    [[nodiscard]] std::string reason_in(const bus::Mapping& window, std::uint32_t address,
                                        bool write) const;
    [[nodiscard]] std::string nearest(std::uint32_t address) const;

    const Context& context_;
    const int core_; // its index on the bus
    tlm::tlm_response_status answer_ = tlm::TLM_OK_RESPONSE;
    unsigned reported_ = 0;
};

} // namespace levee::mistakes
