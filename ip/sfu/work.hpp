// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "ip/sfu/vector_operation.hpp"

#include <vector>

namespace levee::sfu {

/// Adds the arithmetic of one operation to `work`, by the table in ip/sfu/README.md. The opcode
/// must be valid.
void count_work(const VectorOperation& operation, std::vector<CountedEvent>& work);

} // namespace levee::sfu
