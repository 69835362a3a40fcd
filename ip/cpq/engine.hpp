// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/model.hpp"

#include <span>

namespace levee::cpq {

/// Interface of RTL that prunes and quantises. The RTL replaces the reference if the block's `impl`
/// is not `tlm`.
class Engine {
public:
    virtual ~Engine() = default;
    /// Same as Table::open.
    virtual void open(Table& table, std::span<const float> rows) = 0;
    /// Same as Table::quantise.
    virtual Row quantise(Table& table, std::span<const float> row, Counts& counts) = 0;
};

} // namespace levee::cpq
