// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/cosim/testbench.hpp"

namespace levee::cosim {

namespace {

using own_rtl::Port;

bool is_clock(const Port& port)
{
    return port.name == "clk_i";
}

/// Places of the ports of one direction in their vector.
class Places {
public:
    Places(const own_rtl::Interface& boundary, bool inputs)
    {
        for (const Port& port : boundary.ports)
            if (port.is_input == inputs && !is_clock(port))
                bits_ += port.bits;
    }
    [[nodiscard]] unsigned bits() const { return bits_; }
    /// "[high:low]" of the next port.
    std::string next(const Port& port)
    {
        taken_ += port.bits;
        return "[" + std::to_string(bits_ - taken_ + port.bits - 1) + ":" +
               std::to_string(bits_ - taken_) + "]";
    }

private:
    unsigned bits_ = 0, taken_ = 0;
};

std::string range(unsigned bits)
{
    return "[" + std::to_string(bits - 1) + ":0]";
}

/// The design, whose pins are slices of the vectors `in` and `got`.
std::string instance(const ExportFacts& facts)
{
    Places in(facts.boundary, true), out(facts.boundary, false);
    std::string text = "  " + std::string(own_rtl::Wrapper::name) + " u_dut (";
    const char* separator = "\n";
    for (const Port& port : facts.boundary.ports) {
        const std::string to = is_clock(port)  ? "clk"
                               : port.is_input ? "in" + in.next(port)
                                               : "got" + out.next(port);
        text += separator + std::string("    .") + port.name + "(" + to + ")";
        separator = ",\n";
    }
    return text + "\n  );\n";
}

std::string comparisons(const ExportFacts& facts)
{
    Places out(facts.boundary, false);
    std::string text;
    for (const Port& port : facts.boundary.ports) {
        if (port.is_input)
            continue;
        const std::string slice = out.next(port);
        text += "      if (((want" + slice + " ^ got" + slice + ") & counts" + slice +
                ") !== 0)\n        $display(\"  signal " + port.name +
                ": expected %h, got %h\", want" + slice + ", got" + slice + ");\n";
    }
    return text;
}

std::string head(const ExportFacts& facts)
{
    return "// " + facts.block + ", " + std::to_string(facts.operations) + " operations of seed " +
           std::to_string(facts.seed) + ": made by ./levee cosim --export.\n";
}

std::string command(const ExportFacts& facts)
{
    return "./levee cosim " + facts.block + (facts.rtl.empty() ? "" : " --rtl " + facts.rtl) +
           " --seed " + std::to_string(facts.seed);
}

} // namespace

unsigned ExportFacts::input_bits() const
{
    return Places(boundary, true).bits();
}

unsigned ExportFacts::output_bits() const
{
    return Places(boundary, false).bits();
}

std::string vector_testbench(const ExportFacts& facts)
{
    const std::string last = std::to_string(facts.cycles - 1);
    const std::string in = range(facts.input_bits()), out = range(facts.output_bits());
    return head(facts) +
           R"(// Plain Verilog: for Verilator, Icarus and others. It ends with a line PASSED or FAILED.
`timescale 1ns / 1ps
module testbench;
  reg )" + in +
           " stimulus [0:" + last + "];\n  reg " + out + " expected [0:" + last + "];\n  reg " +
           out + " counting [0:" + last +
           "];  // bits of the outputs that count\n  reg [31:0] operation [0:" + last +
           "];\n\n  reg clk;\n  reg " + in + " in;\n  wire " + out + " got;\n  reg " + out +
           " want, counts;\n  integer cycle, failures;\n\n" + instance(facts) + R"(
  task compare;
    if (((want ^ got) & counts) !== 0) begin
      failures = failures + 1;
      $display("cycle %0d, operation %0d:", cycle, operation[cycle]);
)" + comparisons(facts) +
           R"(    end
  endtask

  initial begin
    if ($test$plusargs("waves")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    $readmemh("stimulus.memh", stimulus);
    $readmemh("expected.memh", expected);
    $readmemh("counts.memh", counting);
    $readmemh("operation.memh", operation);
    clk = 0;
    failures = 0;
    for (cycle = 0; cycle <= )" +
           last + R"( && failures < 5; cycle = cycle + 1) begin
      in = stimulus[cycle];
      want = expected[cycle];
      counts = counting[cycle];
      #5 compare;
      clk = 1;
      #5 clk = 0;
    end
    if (failures == 0) $display("PASSED: %0d cycles", cycle);
    else $display("FAILED: stopped after %0d of )" +
           std::to_string(facts.cycles) + R"( cycles", cycle);
    $finish;
  end
endmodule
)";
}

std::string dpi_testbench(const ExportFacts& facts)
{
    return head(facts) +
           R"(// Levee's reference beside the design: +operations=N, +seed=S, +values_only.
`timescale 1ns / 1ps
module testbench_dpi;
  import "DPI-C" function void levee_reference_open(input int seed, input int operations,
                                                    input int values_only);
  import "DPI-C" function int levee_reference_inputs(output bit )" +
           range(facts.input_bits()) + R"( inputs);
  import "DPI-C" function void levee_reference_outputs(input bit )" +
           range(facts.output_bits()) + R"( outputs);
  import "DPI-C" function int levee_reference_close();

  logic clk;
  bit )" + range(facts.input_bits()) +
           " in;\n  logic " + range(facts.output_bits()) + R"( got;
  int seed, operations, values_only;

)" + instance(facts) +
           R"(
  initial begin
    if ($test$plusargs("waves")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench_dpi);
    end
    seed = )" +
           std::to_string(facts.seed) + R"(;
    operations = )" +
           std::to_string(facts.operations) + R"(;
    values_only = $test$plusargs("values_only") ? 1 : 0;
    void'($value$plusargs("seed=%d", seed));
    void'($value$plusargs("operations=%d", operations));
    clk = 0;
    levee_reference_open(seed, operations, values_only);
    while (levee_reference_inputs(in) != 0) begin
      #5 levee_reference_outputs(got);
      clk = 1;
      #5 clk = 0;
    end
    void'(levee_reference_close());  // prints PASSED or FAILED
    $finish;
  end
endmodule
)";
}

std::string file_list(const ExportFacts& facts)
{
    std::string text = "+incdir+rtl\n";
    for (const auto& folder : facts.design.includes)
        text += "+incdir+" + folder.string() + "\n";
    for (const std::string& define : facts.design.defines)
        text += "+define+" + define + "\n";
    for (const auto& file : facts.design.files)
        text += file.string() + "\n";
    return text + "boundary.sv\n";
}

std::string netlist_script(const ExportFacts& facts)
{
    std::string text = "read_verilog -sv -Irtl";
    for (const auto& folder : facts.design.includes)
        text += " -I" + folder.string();
    for (const std::string& define : facts.design.defines)
        text += " -D" + define;
    for (const auto& file : facts.design.files)
        text += " " + file.string();
    return text + " boundary.sv\nhierarchy -check -top " + own_rtl::Wrapper::name +
           "\nproc\nflatten\nopt\nmemory -nomap\nopt_clean\nwrite_verilog -noattr netlist.v\n";
}

std::string make_file(const ExportFacts& facts)
{
    std::string arguments;
    for (const std::string& argument : facts.design.arguments)
        arguments += " " + argument;
    std::string text =
        R"(# Made by ./levee cosim --export: make vectors | netlist | reference, or all of them.
VERILATOR ?= verilator
CXX ?= c++
OPT ?= -O1
VFLAGS = --binary --timing --assert --trace -Wno-fatal -Wno-lint -Wno-style)" +
        arguments + R"( -f files.f
SOURCES := $(shell sed -e '/^+/d' files.f)

all: vectors netlist)" +
        std::string(facts.has_reference ? " reference" : "") + R"(

# Stimulus and expected values, in Verilator.
vectors: obj_vectors/testbench
	./$< $(ARGS) | tee vectors.log
	grep -q ^PASSED vectors.log
obj_vectors/testbench: testbench.sv files.f $(SOURCES)
	$(VERILATOR) $(VFLAGS) --Mdir obj_vectors --top-module testbench -o testbench testbench.sv >obj_vectors.log 2>&1 || { cat obj_vectors.log; exit 1; }

# The same in Icarus Verilog, on a Verilog-2005 netlist by Yosys.
netlist: testbench.vvp
	vvp -n $< $(ARGS) | tee netlist.log
	grep -q ^PASSED netlist.log
testbench.vvp: netlist.v testbench.sv
	iverilog -g2005 -s testbench -o $@ netlist.v testbench.sv
netlist.v: netlist.ys files.f $(SOURCES)
	yosys -q -s netlist.ys >yosys.log 2>&1 || { cat yosys.log; exit 1; }
)";
    if (!facts.has_reference)
        return text;
    return text + R"(
# The reference itself beside the design, over the DPI.
reference: obj_reference/testbench_dpi
	./$< $(ARGS) | tee reference.log
	grep -q ^PASSED reference.log
obj_reference/testbench_dpi: testbench_dpi.sv reference/libreference.so files.f $(SOURCES)
	$(VERILATOR) $(VFLAGS) --Mdir obj_reference --top-module testbench_dpi -o testbench_dpi testbench_dpi.sv $(abspath reference/libreference.so) >obj_reference.log 2>&1 || { cat obj_reference.log; exit 1; }
reference/libreference.so: reference/reference.cpp
	cd reference && $(CXX) -std=c++20 $(OPT) -fPIC -shared -Wl,--no-undefined -ffp-contract=off -w -I. -DLEVEE_DESIGN=levee::dpi::Bus -DLEVEE_DESIGN_HEADER='"bus.h"' -DLEVEE_DESIGN_MODEL=exported $$(cat sizes.txt) -o libreference.so reference.cpp $$(cat sources.txt)

.PHONY: all vectors netlist reference
)";
}

std::string bus_header(const ExportFacts& facts)
{
    std::string members, puts, takes;
    for (const Port& port : facts.boundary.ports) {
        const std::string type = port.bits <= 8    ? "CData"
                                 : port.bits <= 16 ? "SData"
                                 : port.bits <= 32 ? "IData"
                                 : port.bits <= 64
                                     ? "QData"
                                     : "VlWide<" + std::to_string((port.bits + 31) / 32) + ">";
        members += "    " + type + " " + port.name + ";\n";
        const std::string arguments = "(&" + port.name + ", " + std::to_string(port.bits) + ");\n";
        if (!port.is_input)
            takes += "        vector.take" + arguments;
        else if (!is_clock(port))
            puts += "        vector.put" + arguments;
    }
    return head(facts) +
           "#pragma once\n\n#include \"link.hpp\"\n\nnamespace levee::dpi {\n\nstruct Bus {\n" +
           members + "\n    void put_inputs(Vector& vector) const\n    {\n" + puts +
           "    }\n    void take_outputs(Vector& vector)\n    {\n" + takes +
           "    }\n};\n\n} // namespace levee::dpi\n";
}

std::string read_me(const ExportFacts& facts)
{
    return "# " + facts.block + R"( in your own simulator

Made by `)" +
           command(facts) + " --ops " + std::to_string(facts.operations) + R"( --export`.

| file | |
|---|---|
| `files.f`, `boundary.sv` | the design under test, and the boundary's pins on it; to test another one, change these two |
| `testbench.sv` | drives `stimulus.memh` and compares `expected.memh` where `counts.memh` has ones, a line a clock cycle; plain Verilog |
| `netlist.ys` | the design as a Verilog-2005 netlist, by Yosys |
)" +
           std::string(
               facts.has_reference
                   ? R"(| `testbench_dpi.sv`, `reference/levee_reference.h` | the reference itself beside the design: it draws operations, drives the pins and compares |
| `reference/` | its sources: standard C++20, no library |
)"
                   : "") +
           R"(| `Makefile` | the commands |

    make vectors     # Verilator: testbench.sv
    make netlist     # Yosys and Icarus Verilog: testbench.sv
)" +
           std::string(facts.has_reference ? R"(    make reference   # Verilator: testbench_dpi.sv
    make reference ARGS="+seed=2 +operations=1000 +values_only"
)"
                                           : "") +
           R"(    make vectors ARGS=+waves   # testbench.vcd, too

Inputs change after the falling edge of the clock, outputs are compared before the rising one, )" +
           std::to_string(facts.cycles) + R"( cycles. An
output's bits count when the rule in Levee's `ip/*/pins.tsv` says so; under reset none does. The vectors hold the cycles that the
boundary prescribes; for a design that takes other cycles, the reference with `+values_only` reacts to what it does.

A failure names the operation; in Levee, with its description and waves:

    )" + command(facts) +
           R"( --ops OPERATION+1 --waves
)";
}

} // namespace levee::cosim
