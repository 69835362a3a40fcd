// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/kv_tables/operations.h"

#include <cstdint>
#include <span>

namespace levee::kv_tables {

/// Writes the eDRAM's register file entries (LEVEE_SE_VIEW_*) of slots [0, importance.size()). Slot
/// `absent` gets 0. `comes_first` is empty, or is nonzero for each slot whose token becomes HIGH
/// before all others.
void write_views(std::span<const std::uint16_t> importance, std::uint32_t absent,
                 levee_se_score format, unsigned view_bits, std::span<std::uint8_t> views,
                 std::span<const std::uint8_t> comes_first = {});

} // namespace levee::kv_tables
