// SPDX-License-Identifier: Apache-2.0
// Determines the access of an instruction before it executes.
#include "ip/riscv/hart.hpp"

#include <cstring>

namespace levee::riscv {

/// Whether an sc would succeed. Memory that is only accessible through the bus is assumed to be
/// unchanged.
bool Hart::is_still_reserved(std::uint32_t address)
{
    if (!reservation_ || reservation_->address != address)
        return false;
    std::array<std::uint8_t, sizeof(std::uint32_t)> bytes{};
    std::memcpy(bytes.data(), &reservation_->value, bytes.size());
    if (const std::uint8_t* memory = memory_.find(address, bytes.size(), false))
        std::memcpy(bytes.data(), memory, bytes.size());
    debug_read(address, bytes);
    return std::memcmp(bytes.data(), &reservation_->value, bytes.size()) == 0;
}

std::optional<DataAccess> Hart::data_access()
{
    const Op& op = *instruction_;
    const std::uint32_t base = x_[op.rs1];
    const std::uint32_t address = base + static_cast<std::uint32_t>(op.imm);
    switch (op.code) {
    case Code::lb:
    case Code::lbu:
        return DataAccess{address, 1, true, false};
    case Code::lh:
    case Code::lhu:
        return DataAccess{address, 2, true, false};
    case Code::lw:
        return DataAccess{address, 4, true, false};
    case Code::sb:
        return DataAccess{address, 1, false, true};
    case Code::sh:
        return DataAccess{address, 2, false, true};
    case Code::sw:
        return DataAccess{address, 4, false, true};
    case Code::lr:
        return DataAccess{base, 4, true, false};
    case Code::sc:
        return is_still_reserved(base) ? std::optional(DataAccess{base, 4, false, true})
                                       : std::nullopt;
    case Code::amo:
        return DataAccess{base, 4, true, true};
    default:
        return std::nullopt;
    }
}

} // namespace levee::riscv
