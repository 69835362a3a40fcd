// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports the cause of a failed load, store or fetch when the core takes the exception; with
/// `quiet`, not before failed().
class AccessReport : private bus::BusObserver {
public:
    AccessReport(const Context& context, bool quiet);
    AccessReport(const AccessReport&) = delete;
    AccessReport& operator=(const AccessReport&) = delete;

    void on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc);
    /// Prints the withheld reports, and the trap instruction if it was the latest exception.
    void failed();

private:
    void print();
    void passed(const bus::Transaction& transaction) override;
    [[nodiscard]] Sight needs(const bus::Mapping&) const override { return Sight::Nothing; }
    [[nodiscard]] std::string fault(riscv::Cause cause, std::uint32_t value,
                                    std::uint32_t pc) const;
    [[nodiscard]] std::string place(std::uint32_t pc) const;
    [[nodiscard]] std::string instruction(std::uint32_t pc) const;
    [[nodiscard]] std::string reason(std::uint32_t address, bool write) const;
    [[nodiscard]] std::string reason_in(const bus::Mapping& window, std::uint32_t address,
                                        bool write) const;
    [[nodiscard]] std::string nearest(std::uint32_t address) const;

    const Context& context_;
    const int core_; // Index of the core on the bus.
    tlm::tlm_response_status answer_ = tlm::TLM_OK_RESPONSE;
    const bool quiet_;
    unsigned reported_ = 0;
    std::vector<std::string> kept_; // Lines that are not yet printed.
    std::string last_;
    std::string trap_; // line about the latest ebreak or ecall: not printed yet, since many
                       // programs handle these
};

} // namespace levee::checks
