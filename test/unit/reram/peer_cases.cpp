// SPDX-License-Identifier: Apache-2.0
#include "test/unit/reram/peer_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace levee::reram::test {

namespace {

std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

double real(const PeerRow& row, const std::string& key)
{
    const auto found = row.find(key);
    return found == row.end() ? 0.0 : std::strtod(found->second.c_str(), nullptr);
}

/// The rules of flash_and_crossbar_peers.md, section 4.
std::int32_t regular(std::uint32_t i, std::uint32_t j, std::uint32_t a, std::uint32_t b,
                     std::uint32_t c, std::uint32_t modulus)
{
    return static_cast<std::int32_t>((a * i + b * j + c * i * j) % modulus);
}

void fill_regular(PeerData& data, bool signed_inputs)
{
    for (std::uint32_t i = 0; i < PeerData::outputs; ++i)
        for (std::uint32_t j = 0; j < PeerData::inputs; ++j)
            data.weights.push_back(regular(i, j, 37, 101, 7, 255) - 127);
    for (std::uint32_t k = 0; k < PeerData::vectors; ++k)
        for (std::uint32_t j = 0; j < PeerData::inputs; ++j)
            data.x.push_back(signed_inputs ? regular(k, j, 59, 83, 5, 255) - 127
                                           : regular(k, j, 59, 83, 5, 256));
}

void fill_drawn(PeerData& data, bool signed_inputs)
{
    std::uint64_t state = 12345;
    const auto next = [&] {
        state = (1103515245 * state + 12345) % (std::uint64_t{1} << 31);
        return static_cast<std::int32_t>((state >> 16) % 255) - 127;
    };
    for (std::uint32_t i = 0; i < PeerData::outputs * PeerData::inputs; ++i)
        data.weights.push_back(next());
    for (std::uint32_t i = 0; i < PeerData::vectors * PeerData::inputs; ++i)
        data.x.push_back(next() + (signed_inputs ? 0 : 127));
}

} // namespace

std::vector<PeerRow> read_peer_rows(const std::string& path)
{
    std::vector<PeerRow> rows;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = split(line, ',');
    while (std::getline(file, line)) {
        PeerRow row;
        const std::vector<std::string> fields = split(line, ',');
        for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i)
            row[names[i]] = fields[i];
        for (const std::string& parameter : split(row["parameters"], ';')) {
            const std::size_t equals = parameter.find('=');
            row[parameter.substr(0, equals)] = parameter.substr(equals + 1);
        }
        rows.push_back(row);
    }
    return rows;
}

PeerData peer_data(char which, bool signed_inputs)
{
    PeerData data;
    which == 'A' ? fill_regular(data, signed_inputs) : fill_drawn(data, signed_inputs);
    for (std::uint32_t k = 0; k < PeerData::vectors; ++k)
        for (std::uint32_t i = 0; i < PeerData::outputs; ++i) {
            std::int64_t sum = 0;
            for (std::uint32_t j = 0; j < PeerData::inputs; ++j)
                sum += std::int64_t{data.weights[i * PeerData::inputs + j]} *
                       data.x[k * PeerData::inputs + j];
            data.exact.push_back(static_cast<double>(sum));
        }
    return data;
}

Crossbar peer_crossbar(const PeerRow& row)
{
    Crossbar crossbar;
    crossbar.rows = PeerData::inputs;
    crossbar.columns = PeerData::outputs;
    crossbar.cell_bits = static_cast<std::uint32_t>(real(row, "cell_bits"));
    crossbar.mapping = row.at("mapping") == "offset" ? Mapping::Offset : Mapping::Differential;
    crossbar.on_off = real(row, "on_off"); // The text "infinite" is not a number.
    if (row.at("on_off") == "infinite")
        crossbar.on_off = 0;
    crossbar.adc.bits = static_cast<std::uint32_t>(real(row, "adc_bits"));
    const auto range = row.find("range");
    if (range != row.end() && range->second == "unit")
        crossbar.adc.range = AdcRange::Unit;
    else if (range != row.end() && range->second != "full")
        crossbar.adc.range = AdcRange::Explicit;
    crossbar.adc.low = real(row, "adc_min");
    crossbar.adc.high = real(row, "adc_max");
    crossbar.disturbances.programming = real(row, "sigma");
    crossbar.disturbances.read = real(row, "read_noise");
    crossbar.disturbances.stuck = real(row, "stuck");
    crossbar.disturbances.stuck_on = real(row, "stuck_on");
    return crossbar;
}

bool is_noisy(const PeerRow& row)
{
    return peer_crossbar(row).disturbances.any();
}

PeerError simulate(const PeerRow& row, std::uint32_t seed, double range)
{
    const bool signed_inputs = row.at("inputs") == "signed";
    const PeerData data = peer_data(row.at("data").front(), signed_inputs);
    const InputFormat format{static_cast<std::uint32_t>(real(row, "input_cycles")), signed_inputs};
    Crossbar crossbar = peer_crossbar(row);
    if (range != 1) {
        crossbar.adc.range = AdcRange::Explicit;
        crossbar.adc.low *= range;
        crossbar.adc.high *= range;
    }
    const TiledMatrix matrix(crossbar, 8, seed, PeerData::outputs, PeerData::inputs, data.weights);
    PeerError error;
    double squares = 0, exact = 0;
    for (std::uint32_t k = 0; k < PeerData::vectors; ++k) {
        const auto x = std::span(data.x).subspan(k * PeerData::inputs, PeerData::inputs);
        const std::vector<double> y = matrix.multiply(Access::Columns, x, format, k);
        for (std::uint32_t i = 0; i < PeerData::outputs; ++i) {
            const double right = data.exact[k * PeerData::outputs + i];
            squares += (y[i] - right) * (y[i] - right);
            exact += right * right;
            error.largest = std::max(error.largest, std::abs(y[i] - right));
        }
    }
    error.rms = std::sqrt(squares / exact);
    return error;
}

} // namespace levee::reram::test
