// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee::checks {

/// Explains a failed load, store or fetch when the core takes the exception. With `quiet` the
/// explanations are withheld until failed() is called.
class AccessReport : private bus::BusObserver {
public:
    AccessReport(const Context& context, bool quiet);
    AccessReport(const AccessReport&) = delete;
    AccessReport& operator=(const AccessReport&) = delete;

    void on_exception(riscv::Cause cause, std::uint32_t value, std::uint32_t pc);
    /// Prints the withheld explanations. If the latest exception came from an ebreak or ecall, also
    /// prints a line about that instruction.
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
    const int core_;
    tlm::tlm_response_status answer_ = tlm::TLM_OK_RESPONSE;
    const bool quiet_;
    unsigned reported_ = 0;
    std::vector<std::string> kept_;
    std::string last_;
    std::string trap_; // line about the latest ebreak or ecall; printed only if the run fails,
                       // since programs can handle both
};

} // namespace levee::checks
