// SPDX-License-Identifier: Apache-2.0
// Keys of a description of RTL (docs/own_rtl.md).
#pragma once

#include "core/config/keys.hpp"

namespace levee::own_rtl {

inline constexpr config::Key macro_keys[] = {
    config::text(config::any_name.data(), "Value of the macro.").optional()};
inline constexpr config::Key parameter_keys[] = {
    config::text(config::any_name.data(), "Value of the parameter, or the name of a size.")
        .optional()};
inline constexpr config::Key size_keys[] = {
    config::count(config::any_name.data(), "Value of the boundary's parameter.").optional()};
inline constexpr config::Key pin_keys[] = {
    config::text(config::any_name.data(),
                 "A pin of the boundary (`cmd_valid_i`, `~rst_ni`, `data_i[7:0]`), a constant, or "
                 "`open`.")
        .optional()};
inline constexpr config::Key absent_keys[] = {
    config::text(config::any_name.data(), "Constant value in place of the pin; for an input, 0.")
        .optional()};

inline constexpr config::Key description_keys[] = {
    config::texts("files", "SystemVerilog files, packages first.").filled(),
    config::texts("include", "Folders of included files.").optional(),
    config::texts("verilator", "Options of Verilator.").optional(),
    config::text("top", "Name of the module.").matching("^[A-Za-z_$][A-Za-z0-9_$]*$"),
    config::map("defines", macro_keys, "Macros for the preprocessor.").optional(),
    config::map("parameters", parameter_keys, "Parameters of the module.").optional(),
    config::map("size", size_keys, "Parameters of the boundary.")
        .or_else_is("the size of the design that `cosim` names; in a run, of the first design"),
    config::map("pins", pin_keys, "Connections of the module's ports.")
        .or_else_is("pins of the same names"),
    config::map("absent", absent_keys, "Pins of the boundary that the module lacks.").optional(),
};

} // namespace levee::own_rtl
