// SPDX-License-Identifier: Apache-2.0
// Descriptions of a user's RTL. The sources adder.sv and parts/table.svh are in the same folder.
#include "core/rtl/build/description.hpp"
#include "fuzz/door.hpp"

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const auto source = folder.write("adder.sv", bytes_of("module adder; endmodule\n"));
    static const bool made = std::filesystem::create_directory(folder.path() / "parts");
    static const auto part = folder.write("parts/table.svh", bytes_of("// table\n"));
    const std::string shown = (folder.path() / "input.yaml").string();
    return made ? refusal<config::Error>("input.yaml",
                                         [&] {
                                             (void)own_rtl::read_description(
                                                 config::parse_yaml(text_of(input), shown));
                                         })
                : "";
}
