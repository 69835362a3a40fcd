// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/vectors.hpp"

#include "core/config/output_file.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace levee::cosim {

namespace {

constexpr const char* clock = "clk_i";
constexpr const char* reset = "rst_ni";

/// The bits of several ports as hexadecimal digits.
class Line {
public:
    void add(const Bits& bits) { bits_.insert(bits_.begin(), bits.begin(), bits.end()); }
    [[nodiscard]] bool has_ones() const
    {
        return std::find(bits_.begin(), bits_.end(), true) != bits_.end();
    }
    [[nodiscard]] std::string text() const
    {
        std::string digits;
        for (std::size_t end = (bits_.size() + 3) / 4; end != 0; --end) {
            unsigned digit = 0;
            for (std::size_t i = 4 * (end - 1); i < 4 * end && i < bits_.size(); ++i)
                digit |= static_cast<unsigned>(bits_[i]) << i % 4;
            digits += "0123456789abcdef"[digit];
        }
        return digits + "\n";
    }

private:
    Bits bits_; ///< lowest first
};

PinValues values_of(const own_rtl::Recording& recording)
{
    const own_rtl::PortView* views = nullptr;
    const std::size_t count = recording.ports(&views);
    PinValues values;
    for (std::size_t port = 0; port < count; ++port) {
        Bits& bits = values[views[port].name];
        bits.resize(views[port].bits);
        for (std::size_t i = 0; i < bits.size(); ++i)
            bits[i] = (views[port].data[i / 8] >> i % 8 & 1) != 0;
    }
    return values;
}

} // namespace

VectorWriter::VectorWriter(const own_rtl::Recording& recording, const own_rtl::Interface& boundary,
                           PinRules rules, const std::filesystem::path& folder)
    : recording_(recording), boundary_(boundary), rules_(std::move(rules)), folder_(folder),
      stimulus_(config::output_stream(folder / "stimulus.memh")),
      expected_(config::output_stream(folder / "expected.memh")),
      counts_(config::output_stream(folder / "counts.memh")),
      operations_(config::output_stream(folder / "operation.memh"))
{
    recording_.on_edge([](void* user) { static_cast<VectorWriter*>(user)->write_cycle(); }, this);
}

VectorWriter::~VectorWriter()
{
    recording_.on_edge(nullptr, nullptr);
}

void VectorWriter::write_cycle()
{
    const PinValues values = values_of(recording_);
    const bool is_reset = !values.at(reset)[0];
    Line stimulus, expected, counts;
    for (const own_rtl::Port& port : boundary_.ports) {
        const Bits& bits = values.at(port.name);
        if (port.name == clock)
            continue;
        if (port.is_input) {
            stimulus.add(bits);
            continue;
        }
        expected.add(bits);
        counts.add(is_reset ? Bits(bits.size(), false) : rules_.counts(port.name, values));
    }
    rules_.edge(values);
    stimulus_ << stimulus.text();
    expected_ << expected.text();
    counts_ << counts.text();
    operations_ << std::hex << operation_ << '\n';
    ++cycles_;
    counting_cycles_ += counts.has_ones() ? 1 : 0;
}

void VectorWriter::close()
{
    recording_.on_edge(nullptr, nullptr);
    for (std::ofstream* const file : {&stimulus_, &expected_, &counts_, &operations_}) {
        file->close();
        if (!*file)
            throw std::runtime_error(folder_.string() + ": the vectors cannot be written");
    }
}

} // namespace levee::cosim
