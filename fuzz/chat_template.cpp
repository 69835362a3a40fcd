// SPDX-License-Identifier: Apache-2.0
// Chat templates in Jinja, as model files have them.
#include "fuzz/door.hpp"
#include "platform/input/import/jinja/render.hpp"

namespace levee::fuzz {

namespace {

using namespace jinja;

Map variables()
{
    List messages;
    for (const auto& [role, content] : {std::pair("system", "S."), std::pair("user", "\n Q? "),
                                        std::pair("assistant", " A.\n"), std::pair("user", "R")})
        messages.push_back(
            of_map({{"role", {std::string(role)}}, {"content", {std::string(content)}}}));
    return {{"messages", of_list(std::move(messages))},
            {"add_generation_prompt", {true}},
            {"tools", {None{}}},
            {"bos_token", {std::string("<s>")}},
            {"eos_token", {std::string("</s>")}}};
}

} // namespace

std::string feed(Bytes input)
{
    // Each input gets its own variables, since a template's namespaces may change them.
    return refusal<Unable, Raised>("", [&] { (void)render(text_of(input), variables()); });
}

} // namespace levee::fuzz
