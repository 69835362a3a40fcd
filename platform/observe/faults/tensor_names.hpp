// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee::faults {

/// Returns the lower-case name of a kind of tensor (core/abi/model_image.h), such as "w_gate";
/// empty for an unknown kind.
[[nodiscard]] std::string tensor_name(std::uint32_t kind);

} // namespace levee::faults
