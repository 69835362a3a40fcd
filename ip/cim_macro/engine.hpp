// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cim_macro/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::cim_macro {

/// Interface of RTL that multiplies. The RTL replaces the reference if the block's `impl` is not
/// `tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// Shape of the engine's macro.
    [[nodiscard]] virtual Shape shape() const = 0;
    /// Makes `weights`, [input][output], the resident weights.
    virtual void load(std::span<const std::int8_t> weights) = 0;
    /// Multiplies vectors back to back and returns the sums of each.
    virtual std::vector<std::vector<std::int32_t>>
    multiply(const std::vector<std::vector<std::int16_t>>& vectors, InputType type) = 0;
};

} // namespace levee::cim_macro
