// SPDX-License-Identifier: Apache-2.0
// Files results.json of runs that `levee compare` reads.
#include "fuzz/door.hpp"
#include "platform/studies/compare/results_folder.hpp"

#include <stdexcept>
std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    const std::filesystem::path file = folder.write("results.json", input);
    return refusal<std::runtime_error>("results.json", [&] { (void)compare::read_results(file); });
}
