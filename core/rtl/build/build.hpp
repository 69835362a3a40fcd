// SPDX-License-Identifier: Apache-2.0
// Builds designs while Levee runs: with Verilator and a compiler, then loads them.
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
    Fast,    ///< For a run.
    Checked, ///< The design has assertions and cover points.
    Covered  ///< The design also counts lines and toggles of signals.
};

/// Returns a description of the tree's own design that `source` names, in the form that users'
/// designs have. The description has the same sizes as `like`; if null, the design's own sizes.
[[nodiscard]] Description tree_description(const RtlSource& source, const Description* like,
                                           const Tools& tools);

/// Returns the value of the macro LEVEE_DESIGN_PARAMETERS (core/rtl/verilated_pins.cpp) for a
/// design of `source`'s block with the sizes in `sized`.
[[nodiscard]] std::string design_parameters(const Description& sized, const RtlSource& source);

/// The wrapper of a described design, and the boundary's pins in the same sizes.
struct Fitted {
    Interface boundary;
    Wrapper wrapper;
};

/// Reads the interfaces of the user's module and of the boundary, and connects them. `folder`
/// receives intermediate files. Throws config::Error.
[[nodiscard]] Fitted fit(const Description& description, const RtlSource& source,
                         const Tools& tools, const std::filesystem::path& folder);

/// Loads the design of `source`'s block that a description specifies. Builds the design unless the
/// cache contains it and none of its source files has changed. The library stays loaded. It has a
/// recording interface unless it is Flavour::Fast. Throws config::Error.
[[nodiscard]] Loaded load(const Description& description, const RtlSource& source, Flavour flavour,
                          const Tools& tools);

/// Same as load(), with the type of the block's designs.
template <typename Ports>
[[nodiscard]] const RtlModel<Ports>& load_model(const Description& description,
                                                const RtlSource& source, Flavour flavour)
{
    return *static_cast<const RtlModel<Ports>*>(
        load(description, source, flavour, default_tools()).model);
}

} // namespace levee::own_rtl
