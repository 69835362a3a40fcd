// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rtl/build/description.hpp"
#include "core/rtl/build/tools.hpp"

#include <string>
#include <vector>

namespace levee::own_rtl {

struct Port {
    std::string name;
    bool is_input = false;
    unsigned bits = 0; ///< Width in bits; 0: not a plain vector.
};

/// A module's interface after elaboration by Verilator.
struct Interface {
    std::vector<Port> ports; ///< Ports in the order of the module's header.

    [[nodiscard]] const Port* find(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names() const;
};

/// Returns the Verilator arguments that make it read a description's files.
[[nodiscard]] std::vector<std::string> source_arguments(const Description& description,
                                                        const Tools& tools);

/// Errors in Verilator's log, with their places in the files.
[[nodiscard]] std::string errors_of(const std::string& log);

/// Elaborates `description.top` with its parameters. `folder` receives intermediate files. Throws
/// config::Error, with Verilator's message if there is one.
[[nodiscard]] Interface probe(const Description& description, const Tools& tools,
                              const std::filesystem::path& folder);

} // namespace levee::own_rtl
