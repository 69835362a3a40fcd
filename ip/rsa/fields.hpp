#pragma once

#include "ip/common/fields.hpp"
#include "ip/rsa/regs.h"

namespace levee::rsa {

/// The members of levee_rsa_operation, for messages.
inline constexpr Field operation_fields[] = {
    {offsetof(levee_rsa_operation, a), "a"},
    {offsetof(levee_rsa_operation, a_scale), "a_scale"},
    {offsetof(levee_rsa_operation, b), "b"},
    {offsetof(levee_rsa_operation, b_scale), "b_scale"},
    {offsetof(levee_rsa_operation, bias), "bias"},
    {offsetof(levee_rsa_operation, out), "out"},
    {offsetof(levee_rsa_operation, lengths), "lengths"},
    {offsetof(levee_rsa_operation, a_stride), "a_stride", 4},
    {offsetof(levee_rsa_operation, a_scale_stride), "a_scale_stride", 4},
    {offsetof(levee_rsa_operation, b_stride), "b_stride", 4},
    {offsetof(levee_rsa_operation, b_scale_stride), "b_scale_stride", 4},
    {offsetof(levee_rsa_operation, out_stride), "out_stride", 4},
    {offsetof(levee_rsa_operation, lengths_stride), "lengths_stride", 4},
    {offsetof(levee_rsa_operation, outer), "outer", 2},
    {offsetof(levee_rsa_operation, m1), "m1"},
    {offsetof(levee_rsa_operation, m0), "m0"},
    {offsetof(levee_rsa_operation, k), "k"},
    {offsetof(levee_rsa_operation, n), "n"},
    {offsetof(levee_rsa_operation, alpha), "alpha"},
    {offsetof(levee_rsa_operation, a_type), "a_type"},
    {offsetof(levee_rsa_operation, b_type), "b_type"},
    {offsetof(levee_rsa_operation, flags), "flags"},
    {offsetof(levee_rsa_operation, ragged), "ragged"},
    {offsetof(levee_rsa_operation, length_add), "length_add"},
};

} // namespace levee::rsa
