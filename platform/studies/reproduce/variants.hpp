// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/plan.hpp"

namespace levee::reproduce {

/// Reads the variant written under its name. Its runs and figures, and the variants that it
/// combines, must be in the plan already.
[[nodiscard]] Variant read_variant(const config::Node::Entry& entry, const Plan& plan);

/// Reads the rows of one figure or table of `errors:`; the rows must be in the plan.
[[nodiscard]] ErrorGroup read_errors(const config::Node::Entry& entry, const Plan& plan);

/// Reads one device of `constants:`; its rows must not belong to an earlier constant.
[[nodiscard]] Constant read_constant(const config::Node::Entry& entry, const Plan& plan);
[[nodiscard]] Goal read_goal(const config::Node::Entry& entry);

} // namespace levee::reproduce
