// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "ip/sfu/vector_operation.hpp"

#include <vector>

namespace levee::sfu {

/// Work of the lanes for one operation, by function: the table in ip/sfu/README.md. The opcode is
/// valid.
void count_work(const VectorOperation& operation, std::vector<CountedEvent>& work);

} // namespace levee::sfu
