// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/importance.hpp"

#include "core/numerics/numerics.hpp"

#include <algorithm>

namespace levee::kv_tables {

std::uint16_t to_fixed(float score, levee_se_score format)
{
    const bool is_signed = format == LEVEE_SE_LOGIT;
    // Multiplication by a power of two is exact. If the product overflows, the result saturates
    // anyway.
    const std::int32_t rounded = round_to_int32(score * (is_signed ? 256.0f : 16384.0f));
    const std::int32_t least = is_signed ? INT16_MIN : 0;
    const std::int32_t most = is_signed ? INT16_MAX : UINT16_MAX;
    return static_cast<std::uint16_t>(std::clamp(rounded, least, most));
}

} // namespace levee::kv_tables
