// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/documented_metrics.hpp"

namespace levee::sweep {

namespace {

constexpr std::string_view names[] = {
#include "documented_metrics.inc"
};

} // namespace

const std::span<const std::string_view> documented_metrics(names);

} // namespace levee::sweep
