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
    unsigned bits = 0; ///< width in bits; 0: the type is not a plain vector
};

/// A module as Verilator has elaborated it.
struct Interface {
    std::vector<Port> ports; ///< Ports in the order of the module's header.

    [[nodiscard]] const Port* find(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> names() const;
};

/// Arguments with which Verilator reads a description's files.
[[nodiscard]] std::vector<std::string> source_arguments(const Description& description,
                                                        const Tools& tools);

/// Errors in Verilator's log, with their places in the files.
[[nodiscard]] std::string errors_of(const std::string& log);

/// Elaborates `description.top` with its parameters. `folder`: for intermediate files. Throws
/// config::Error, with Verilator's message if there is one.
[[nodiscard]] Interface probe(const Description& description, const Tools& tools,
                              const std::filesystem::path& folder);

} // namespace levee::own_rtl
