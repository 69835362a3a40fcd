// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/scenario.hpp"

namespace levee::config {

void check_outputs(const ObserveConfig& observe, const std::filesystem::path& output_folder)
{
    for (const auto* output : {&observe.logits, &observe.retention_log, &observe.lifetimes})
        if (*output &&
            ((*output)->name.empty() || !lies_in(output_folder / (*output)->name, output_folder)))
            throw Error((*output)->place, "the file " + in_quotes((*output)->name.string()) +
                                              " would be written outside the output folder " +
                                              output_folder.string() +
                                              "; expected a name inside it (links are followed); " +
                                              "--allow-outside permits other files");
}

} // namespace levee::config
