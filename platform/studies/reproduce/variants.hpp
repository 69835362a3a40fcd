// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/plan.hpp"

namespace levee::reproduce {

/// Reads a variant. The plan must already have its runs and figures, and the variants that it
/// combines.
[[nodiscard]] Variant read_variant(const config::Node::Entry& entry, const Plan& plan);

/// Reads the rows of one figure or table in `errors:`. The plan must already have the rows.
[[nodiscard]] ErrorGroup read_errors(const config::Node::Entry& entry, const Plan& plan);

/// Reads one device of `constants:`. Its rows must not belong to an earlier constant.
[[nodiscard]] Constant read_constant(const config::Node::Entry& entry, const Plan& plan);
[[nodiscard]] Goal read_goal(const config::Node::Entry& entry);

} // namespace levee::reproduce
