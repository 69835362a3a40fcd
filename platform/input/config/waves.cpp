// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/waves.hpp"

#include "core/config/quantity.hpp"
#include "platform/input/config/observe_keys.hpp"

#include <stdexcept>

namespace levee::config {

WavesConfig parse_wave_window(const std::string& text)
{
    const auto expected = [&text](const std::string& what) {
        return std::invalid_argument(
            "'" + text + "' is not an interval of time: " + what +
            "; expected FROM..TO such as 1ms..1.2ms (either may be left out)");
    };
    const auto dots = text.find("..");
    if (dots == std::string::npos)
        throw expected("it has no '..'");
    const auto time = [&](const std::string& part, std::uint64_t otherwise) {
        if (part.empty())
            return otherwise;
        const QuantityResult read = parse_quantity(part, Dimension::Time);
        if (!read.error.empty())
            throw expected("'" + part + "' " + read.error);
        return read.value;
    };
    WavesConfig waves;
    waves.from_ps = time(text.substr(0, dots), 0);
    waves.to_ps = time(text.substr(dots + 2), UINT64_MAX);
    if (waves.to_ps < waves.from_ps)
        throw expected("it ends before it begins");
    return waves;
}

std::optional<WavesConfig> read_waves(std::optional<MapReader> reader)
{
    if (!reader)
        return std::nullopt;
    WavesConfig waves;
    waves.from_ps = reader->quantity("from");
    waves.to_ps = reader->quantity("to", wave_times.most);
    if (waves.to_ps < waves.from_ps)
        throw reader->error("to", "is before 'from'; expected a later time");
    waves.format = reader->word<WaveFormat>("format");
    reader->finish();
    return waves;
}

} // namespace levee::config
