// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

// Register numbers in the protocol, as GDB numbers them for RISC-V.
constexpr std::uint32_t register_pc = 32;
constexpr std::uint32_t register_first_csr = 65; ///< CSR n is 65 + n
constexpr std::uint32_t csr_count = 4096;

struct NamedCsr {
    std::string name;
    std::uint32_t number;
};

/// Returns the hart's CSRs by number (privileged specification 20211203, tables 2.2 to 2.5).
[[nodiscard]] const std::vector<NamedCsr>& csr_names();

/// Returns the protocol's number for a register's name, such as "pc", "a0", "x10" or "mstatus".
[[nodiscard]] std::optional<std::uint32_t> register_number(const std::string& name);

/// Returns the target description (target.xml) that lists the registers for GDB.
[[nodiscard]] std::string target_description();

} // namespace levee::debug
