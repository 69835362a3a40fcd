// SPDX-License-Identifier: Apache-2.0
// Designs of the tree. Each is in a separate shared library (cmake/LeveeRtl.cmake), which is loaded
// when its design is first created. A complete build therefore compiles no designs; each is
// compiled when a run first needs it.
#pragma once

#include "core/rtl/build/recording.hpp"
#include "core/rtl/rtl_pins.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace levee::own_rtl {

/// Entry points of a shared library (verilated_module.cpp).
struct Loaded {
    const void* model = nullptr; ///< The RtlModel<Ports> of the block's design.
    Recording recording;         ///< Recording interface, if the library was built with one.
};

/// Opens a module's library for the rest of the process. Throws std::runtime_error if the file is
/// no such library.
[[nodiscard]] Loaded open_library(const std::filesystem::path& file);

/// The RtlModel<Ports> of a module, such as "levee_rtl_rsa". In a build folder, a missing or
/// outdated module is built first; an installed tree builds nothing. Throws config::Error if the
/// module does not exist or cannot be built.
[[nodiscard]] const void* module_model(const std::string& name);

/// Builds the static libraries with which designs are linked, in the same way.
void make_libraries(const std::vector<std::filesystem::path>& libraries);

} // namespace levee::own_rtl

namespace levee {

/// Creates a design from the module that contains it.
template <typename Ports>
[[nodiscard]] std::unique_ptr<RtlPins<Ports>> make_in_module(const char* name,
                                                             const RtlPinsOptions& options)
{
    return static_cast<const RtlModel<Ports>*>(own_rtl::module_model(name))->make(options);
}

} // namespace levee
