// SPDX-License-Identifier: Apache-2.0
// RTL that is not of this tree, as a YAML map describes it (docs/own_rtl.md).
#pragma once

#include "core/config/node.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace levee::own_rtl {

/// A port of the user's module or a pin of the boundary, and its connection.
struct Connection {
    std::string port;
    std::string to; ///< "pin", "pin[7:0]", a constant; empty: left open
    bool inverted = false;
    config::Place place;
};

/// Sources of a module, and their connection to a boundary.
struct Description {
    std::string name; ///< Name for messages: the YAML file, or a design of the tree.
    config::Place place;
    std::vector<std::filesystem::path> files; ///< Files in the order of reading.
    std::vector<std::filesystem::path> includes;
    std::vector<std::string> defines;   ///< "NAME=value"
    std::vector<std::string> arguments; ///< Arguments of Verilator.
    bool relative_includes = false;     ///< Whether includes are also searched for in the source's
                                        ///< folder.
    std::string top;
    config::Place top_place;
    std::vector<Connection> parameters;         ///< Parameters of `top`: name and value.
    std::map<std::string, std::uint64_t> sizes; ///< parameters of the boundary
    std::vector<Connection> pins;               ///< Connections by port of `top`.
    std::vector<Connection> absent;             ///< pins of the boundary that `top` does not have
};

/// Reads the map; files and folders in it are relative to the YAML file. Throws config::Error, also
/// for an argument of Verilator that names files, places or programs: only Levee may set those.
[[nodiscard]] Description read_description(const config::Node& node);

/// Files by names that stay the same when all files move together.
using NamedFiles = std::map<std::string, std::filesystem::path>;

/// Files that `description.files` can include: all files in the include folders and below, absolute
/// paths that a source or macro quotes and, with `relative_includes`, files in the source's folder,
/// otherwise in the process's folder. A file is read if it is named by a source or by
/// `description`, or if its suffix is one of (System)Verilog. Names that macros assemble, or that
/// are not quoted, are not found. Results are named by folder number and name
/// ("0/parts/adder.svh"), by absolute path, by "beside/" and the path from the first source's
/// folder, or by "here/" and the name in the process's folder.
[[nodiscard]] NamedFiles included_files(const Description& description);

/// Files that descriptions include. Descriptions that name the same files and folders share one
/// search.
class IncludedFiles {
public:
    /// Cached version of included_files().
    const NamedFiles& of(const Description& description);

private:
    using Paths = std::vector<std::filesystem::path>;
    using Words = std::vector<std::string>;
    /// Cache by files, includes, defines and arguments.
    std::map<std::tuple<Paths, Paths, Words, Words>, NamedFiles> known_;
};

} // namespace levee::own_rtl
