// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

namespace levee::config {

/// How an output is opened.
struct OutputWay {
    bool reads = false;   ///< to read, too
    bool appends = false; ///< each write goes to its end
    bool named = false;   ///< the user has named it: links are followed, and a pipe that somebody
                          ///< reads or a device may stand there
};

/// Opens a file to write, which is made if there is none, and returns its descriptor. It must be a
/// regular file: a link would lead to another one, a pipe wait for its reader. Throws
/// std::runtime_error that names the file and what stands there.
[[nodiscard]] int open_output(const std::filesystem::path& path, OutputWay way = {});

/// The same, emptied; locked as long as the descriptor is open. Throws for a file that another
/// process, or another output of this one, writes.
[[nodiscard]] int open_new_output(const std::filesystem::path& path, OutputWay way = {});

/// Opens and closes it, before a library opens it by its name.
void check_output(const std::filesystem::path& path);

/// Copies a file into what open_output() opens.
void copy_output(const std::filesystem::path& from, const std::filesystem::path& to);

/// A stream into what open_output() opens; emptied unless `mode` has std::ios::app.
[[nodiscard]] std::ofstream output_stream(const std::filesystem::path& path,
                                          std::ios::openmode mode = std::ios::trunc);

/// Makes a folder within `root`, and those between. Throws std::runtime_error for a link among
/// them: it may lead elsewhere.
void make_inner_folder(const std::filesystem::path& root, const std::filesystem::path& folder);

} // namespace levee::config
