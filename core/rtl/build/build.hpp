// SPDX-License-Identifier: Apache-2.0
// Designs that are built while Levee runs: Verilated, compiled and loaded.
#pragma once

#include "core/rtl/build/description.hpp"
#include "core/rtl/build/module.hpp"
#include "core/rtl/build/tools.hpp"
#include "core/rtl/build/wrapper.hpp"
#include "core/rtl/rtl_pins.hpp"

#include <filesystem>
#include <string>

namespace levee::own_rtl {

/// Purpose for which a design is built.
enum class Flavour {
    Fast,    ///< a run
    Checked, ///< The design has assertions and cover points.
    Covered  ///< The design also counts lines and toggles of signals.
};

/// The design of the tree that `source` names, as if a user had described it, in the sizes of
/// `like`.
[[nodiscard]] Description tree_description(const RtlSource& source, const Description* like,
                                           const Tools& tools);

/// Value of LEVEE_DESIGN_PARAMETERS (core/rtl/verilated_pins.cpp) for a design of `source`'s block
/// in the sizes of `sized`.
[[nodiscard]] std::string design_parameters(const Description& sized, const RtlSource& source);

/// The wrapper of a description, and the boundary's pins in its sizes.
struct Fitted {
    Interface boundary;
    Wrapper wrapper;
};

/// Reads both interfaces and connects them; `folder`: for files in between. Throws config::Error.
[[nodiscard]] Fitted fit(const Description& description, const RtlSource& source,
                         const Tools& tools, const std::filesystem::path& folder);

/// The design of `source`'s block made from a description: built, or found in the cache if no file
/// that it was built from has changed. Stays loaded; records unless it is Flavour::Fast. Throws
/// config::Error.
[[nodiscard]] Loaded load(const Description& description, const RtlSource& source, Flavour flavour,
                          const Tools& tools);

/// Likewise, typed.
template <typename Ports>
[[nodiscard]] const RtlModel<Ports>& load_model(const Description& description,
                                                const RtlSource& source, Flavour flavour)
{
    return *static_cast<const RtlModel<Ports>*>(
        load(description, source, flavour, default_tools()).model);
}

} // namespace levee::own_rtl
