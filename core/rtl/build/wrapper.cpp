// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/wrapper.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace levee::own_rtl {

namespace {

using config::Error;
using config::suggestion;

std::string pin_of(const Connection& connection)
{
    const bool is_constant =
        connection.to.empty() || std::isdigit(static_cast<unsigned char>(connection.to[0])) != 0;
    return is_constant ? "" : connection.to.substr(0, connection.to.find('['));
}

const char* direction(const Port& port)
{
    return port.is_input ? "an input" : "an output";
}

/// Connections of all ports of the user's module. Ports that the description does not mention are
/// connected to pins of the boundary with the same names.
class Connections {
public:
    Connections(const Description& description, const Interface& user, const Interface& boundary)
        : description_(description), user_(user), boundary_(boundary)
    {
        for (const Connection& pin : description.pins)
            add_written(pin);
        for (const Port& port : user.ports)
            add_unwritten(port);
        check_boundary();
    }
    [[nodiscard]] const std::vector<Connection>& all() const { return all_; }

private:
    void add_written(const Connection& pin)
    {
        const Port* const port = user_.find(pin.port);
        if (port == nullptr)
            throw Error(pin.place, description_.top + " has no port '" + pin.port + "'" +
                                       suggestion(pin.port, user_.names()));
        const std::string name = pin_of(pin);
        if (name.empty())
            check_constant(pin, *port);
        else
            check_pin(pin, *port, name);
        all_.push_back(pin);
        connected_.insert(pin.port);
    }
    void check_constant(const Connection& pin, const Port& port) const
    {
        if (port.is_input && pin.to.empty())
            throw Error(pin.place, "port '" + port.name +
                                       "' is an input and left open; expected a "
                                       "pin of the boundary or a constant");
        if (!port.is_input && !pin.to.empty())
            throw Error(pin.place, "port '" + port.name + "' is an output and tied to " + pin.to +
                                       "; expected a pin of the boundary, or open");
    }
    void check_pin(const Connection& pin, const Port& port, const std::string& name)
    {
        const Port* const to = boundary_.find(name);
        if (to == nullptr)
            throw Error(pin.place, "the boundary has no pin '" + name + "'" +
                                       suggestion(name, boundary_.names()));
        if (to->is_input != port.is_input)
            throw Error(pin.place, "port '" + port.name + "' of " + description_.top + " is " +
                                       direction(port) + ", the boundary's " + name + " is " +
                                       direction(*to));
        pins_.insert(name);
    }
    void add_unwritten(const Port& port)
    {
        if (connected_.contains(port.name))
            return;
        const Port* const same = boundary_.find(port.name);
        if (same == nullptr)
            throw Error(description_.top_place,
                        "port '" + port.name + "' of " + description_.top + ", " + direction(port) +
                            ", has no line under 'pins'; expected '" + port.name +
                            ": PIN' with a pin "
                            "of the boundary" +
                            (port.is_input ? " or a constant" : ", or open"));
        if (same->is_input != port.is_input)
            throw Error(description_.top_place, "port '" + port.name + "' of " + description_.top +
                                                    " is " + direction(port) +
                                                    ", the boundary's is " + direction(*same));
        all_.push_back({port.name, port.name, false, description_.top_place});
        pins_.insert(port.name);
    }
    void check_boundary() const
    {
        std::set<std::string> absent;
        for (const Connection& pin : description_.absent) {
            if (boundary_.find(pin.port) == nullptr)
                throw Error(pin.place, "the boundary has no pin '" + pin.port + "'" +
                                           suggestion(pin.port, boundary_.names()));
            if (pins_.contains(pin.port))
                throw Error(pin.place, "pin '" + pin.port +
                                           "' is both absent here and connected above; "
                                           "expected only one of the two");
            absent.insert(pin.port);
        }
        std::string missing;
        for (const Port& port : boundary_.ports)
            if (!pins_.contains(port.name) && !absent.contains(port.name))
                missing += "\n  " + port.name + (port.is_input ? " (input" : " (output") + ", " +
                           std::to_string(port.bits) + (port.bits == 1 ? " bit)" : " bits)");
        if (!missing.empty())
            throw Error(description_.top_place,
                        "pins of the boundary are not connected; expected a line 'PORT: PIN' under "
                        "'pins' for each, or 'PIN: 0' under 'absent':" +
                            missing);
    }

    const Description& description_;
    const Interface& user_;
    const Interface& boundary_;
    std::vector<Connection> all_;
    std::set<std::string> connected_; ///< Ports of the user's module.
    std::set<std::string> pins_;      ///< Pins of the boundary.
};

/// A text under construction that knows its line numbers.
class Lines {
public:
    void add(const std::string& line)
    {
        text_ += line + "\n";
        ++count_;
    }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
    int count_ = 0;
};

std::string range(unsigned bits)
{
    return bits > 1 ? "[" + std::to_string(bits - 1) + ":0] " : "";
}

void add_header(Lines& lines, const Interface& boundary)
{
    lines.add(std::string("module ") + Wrapper::name + " (");
    for (std::size_t i = 0; i < boundary.ports.size(); ++i) {
        const Port& port = boundary.ports[i];
        lines.add("  " + std::string(port.is_input ? "input  logic " : "output logic ") +
                  range(port.bits) + port.name + (i + 1 == boundary.ports.size() ? "" : ","));
    }
    lines.add(");");
}

} // namespace

Wrapper wrap(const Description& description, const Interface& user, const Interface& boundary)
{
    const Connections connections(description, user, boundary);
    Wrapper wrapper;
    Lines lines;
    lines.add("// Made from " + description.name + ": the boundary's pins on module " +
              description.top + ".");
    lines.add("// verilator coverage_off");
    add_header(lines, boundary);
    for (const Connection& pin : description.absent)
        if (!boundary.find(pin.port)->is_input)
            lines.add("  assign " + pin.port + " = " + pin.to + ";");
    for (const Connection& pin : connections.all())
        if (pin.inverted && !user.find(pin.port)->is_input) {
            lines.add("  logic " + range(user.find(pin.port)->bits) + "levee_" + pin.port + ";");
            wrapper.lines[lines.count() + 1] = pin;
            lines.add("  assign " + pin.to + " = ~levee_" + pin.port + ";");
        }
    std::string parameters;
    for (const Connection& parameter : description.parameters)
        parameters +=
            (parameters.empty() ? "#(." : ", .") + parameter.port + "(" + parameter.to + ")";
    lines.add("  " + description.top + " " + (parameters.empty() ? "" : parameters + ") ") +
              "u_dut (");
    for (const Connection& pin : connections.all()) {
        const bool is_input = user.find(pin.port)->is_input;
        const std::string to = !pin.inverted ? pin.to
                               : is_input    ? "~" + pin.to
                                             : "levee_" + pin.port;
        wrapper.lines[lines.count() + 1] = pin;
        lines.add("    ." + pin.port + "(" + to + ")" +
                  (&pin == &connections.all().back() ? "" : ","));
    }
    lines.add("  );");
    lines.add("endmodule");
    wrapper.text = lines.text();
    return wrapper;
}

} // namespace levee::own_rtl
