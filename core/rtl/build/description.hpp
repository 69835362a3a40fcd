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

/// A port of the user's module, or a pin of the boundary, and what it is connected with.
struct Connection {
    std::string port;
    std::string to; ///< "pin", "pin[7:0]", a constant; empty: left open
    bool inverted = false;
    config::Place place;
};

/// What a module is made from, and how it fits a boundary.
struct Description {
    std::string name; ///< for messages: the YAML file, or a design of the tree
    config::Place place;
    std::vector<std::filesystem::path> files; ///< in the order in which they are read
    std::vector<std::filesystem::path> includes;
    std::vector<std::string> defines;   ///< "NAME=value"
    std::vector<std::string> arguments; ///< of Verilator
    bool relative_includes = false;     ///< by these, included files are beside sources, too
    std::string top;
    config::Place top_place;
    std::vector<Connection> parameters;         ///< of `top`: name and value
    std::map<std::string, std::uint64_t> sizes; ///< parameters of the boundary
    std::vector<Connection> pins;               ///< by ports of `top`
    std::vector<Connection> absent;             ///< pins of the boundary that `top` does not have
};

/// Reads the map; files and folders in it are relative to the YAML file. Throws config::Error, also
/// for an argument of Verilator that names files, places or programs: those are Levee's to say.
[[nodiscard]] Description read_description(const config::Node& node);

/// Files by a name that stays when they all move together.
using NamedFiles = std::map<std::string, std::filesystem::path>;

/// The files that `description.files` can include: all in its include folders, those below them and
/// absolute ones that some source or macro names in quotes, with `relative_includes` those beside
/// it, and else those in the process's folder. Sources are read that are named so, or by
/// `description`, or that end as (System)Verilog does. A name that macros are put together from, or
/// that stands in no quotes, is not found. Names are the folder's number and the name in it,
/// "0/parts/adder.svh", the absolute name, of those beside sources "beside/" and the path from the
/// first source's folder, and in the process's "here/" and the name.
[[nodiscard]] NamedFiles included_files(const Description& description);

/// Included files of descriptions, looked for once for all that name the same files and folders.
class IncludedFiles {
public:
    /// As included_files.
    const NamedFiles& of(const Description& description);

private:
    using Paths = std::vector<std::filesystem::path>;
    using Words = std::vector<std::string>;
    /// By files, includes, defines, arguments.
    std::map<std::tuple<Paths, Paths, Words, Words>, NamedFiles> known_;
};

} // namespace levee::own_rtl
