// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee::faults {

/// Name of a kind of tensor (core/abi/model_image.h) in lower case: "w_gate". Empty for an unknown
/// kind.
[[nodiscard]] std::string tensor_name(std::uint32_t kind);

} // namespace levee::faults
