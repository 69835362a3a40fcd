// SPDX-License-Identifier: Apache-2.0
// Components as a file lists them.
#pragma once

#include "core/config/node.hpp"

#include <filesystem>
#include <string>

namespace levee::config {

/// A block or memory of a system; its type's own reader takes the rest of `node`.
struct Component {
    std::string name;
    std::string type;
    Node node;
};

/// A library of components in addition to those of the program (docs/plugins.md).
struct ComponentLibrary {
    std::filesystem::path file;
    Place place;
};

} // namespace levee::config
