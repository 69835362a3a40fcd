// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/ecu/component.hpp"

#include "core/component/component.hpp"
#include "core/component/rtl_choice.hpp"

#include <algorithm>

namespace levee::flash::ecu {

namespace {

/// Lists all designs, each with the code format of its pages, for messages.
std::string designs_in_words()
{
    std::string text;
    for (const Design& design : designs()) {
        const CodeFormat& code = design.size.format;
        text +=
            (text.empty() ? "" : ", ") + design.name + " (pages of " +
            std::to_string(code.page_bytes) + " B, values of " + std::to_string(code.value_bits) +
            " bits, " + std::to_string(code.protected_values) + " protected, addresses of " +
            std::to_string(code.address_bits) + " bits, " + std::to_string(code.threshold_copies) +
            " copies of the threshold, " + std::to_string(code.value_copies) + " of each value)";
    }
    return text;
}

} // namespace

Choice read_choice(config::MapReader& reader, const ComponentDefaults& defaults)
{
    Choice choice;
    choice.is_rtl = defaults.implementation != Implementation::Tlm;
    if (!choice.is_rtl)
        return choice;
    choice.mode = rtl_mode(defaults);
    choice.clock = defaults.clock;
    if (reader.has("core_clock"))
        choice.clock.hz = reader.quantity("core_clock");
    choice.design = named_design<Design>(reader, designs(), nullptr);
    choice.has_assertions = reader.boolean("assertions");
    return choice;
}

void fit(const config::MapReader& reader, const std::optional<CodeFormat>& code, Choice& choice,
         ComponentPlan& plan)
{
    plan.has_rtl = true;
    if (!choice.is_rtl)
        return;
    if (!code)
        throw reader.error("impl",
                           "must be tlm without 'ecc': the RTL implements only the decoding unit");
    const auto fits = [&](const Design& design) { return design.size.format == *code; };
    const std::span<const Design> all = designs();
    if (choice.design == nullptr)
        if (const auto found = std::find_if(all.begin(), all.end(), fits); found != all.end())
            choice.design = &*found;
    if (choice.design == nullptr || !fits(*choice.design))
        throw reader.error("ecc", "does not fit the RTL; expected the code of one of " +
                                      designs_in_words() + ", or 'impl: tlm'");
    if (choice.has_assertions)
        choice.design = checked_design(reader, *choice.design);
    plan.parameters.emplace_back("rtl", choice.design->name);
}

std::unique_ptr<RtlDecoder> make_decoder(const std::string& block, const Choice& choice)
{
    if (choice.design == nullptr)
        return nullptr;
    auto decoder = std::make_unique<RtlDecoder>(block, choice.design->make, choice.mode);
    decoder->set_clock(choice.clock);
    return decoder;
}

} // namespace levee::flash::ecu
