// SPDX-License-Identifier: Apache-2.0
// Tests the host link through its socket.
#include "ip/hostlink/module.hpp"
#include "test/support/bus_master.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

namespace {

using namespace levee;

// Records the calls of the host link's listener as text.
class Recorder : public hostlink::Listener {
public:
    void on_exit(int code, const sc_core::sc_time& at) override
    {
        log << "exit " << code << " " << at.value() << "; ";
    }
    void on_phase(levee_phase phase, const sc_core::sc_time& at) override
    {
        log << "phase " << phase << " " << at.value() << "; ";
    }
    void on_token(std::uint32_t sequence, std::uint32_t id, const sc_core::sc_time& at) override
    {
        log << "token " << sequence << " " << id << " " << at.value() << "; ";
    }
    void on_mark(const hostlink::MarkedPart& part, bool begins, const sc_core::sc_time& at) override
    {
        log << (begins ? "begin " : "end ") << part.kind << " " << part.index << " ";
        if (part.times != LEVEE_MARK_ONCE)
            log << "times " << part.times << " ";
        log << at.value() << "; ";
    }
    void on_request(levee_request_event event, std::uint32_t number,
                    const sc_core::sc_time&) override
    {
        log << "request " << event << " " << number << "; ";
    }
    void on_stack(std::uint32_t bottom, std::uint32_t top) override
    {
        log << "stack " << bottom << " " << top << "; ";
    }
    void on_metric(const std::string& name, levee_metric_kind kind, std::uint64_t bits) override
    {
        log << "metric " << name << " " << kind << " " << bits << "; ";
    }
    std::ostringstream log;
};

class Strings : public sc_core::sc_module {
public:
    TargetSocket socket;
    std::string text; // The text in memory at 0x1000.

    explicit Strings(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
    {
        socket.register_transport_dbg(this, &Strings::transport_dbg);
    }

private:
    unsigned transport_dbg(tlm::tlm_generic_payload& payload)
    {
        const std::uint64_t at = payload.get_address() - 0x1000;
        if (at >= text.size())
            return 0;
        *payload.get_data_ptr() = static_cast<unsigned char>(text[at]);
        return 1;
    }
};

struct Bench {
    Recorder recorder;
    hostlink::Hostlink hostlink{"hostlink", recorder};
    Strings strings{"strings"};
    test::BusMaster master{"master"};
    Bench()
    {
        master.socket.bind(hostlink.socket);
        hostlink.memory.bind(strings.socket);
        sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_NS));
    }
    std::string metric(const std::string& name, std::uint32_t kind)
    {
        strings.text = name + std::string(1, '\0');
        recorder.log.str("");
        master.write32(LEVEE_HOSTLINK_METRIC_NAME, 0x1000);
        master.write32(LEVEE_HOSTLINK_VALUE_LO, 7);
        master.write32(LEVEE_HOSTLINK_VALUE_HI, 1);
        master.write32(LEVEE_HOSTLINK_METRIC, kind);
        return recorder.log.str();
    }
};

} // namespace

TEST_CASE("The listener hears of phases, tokens and the end, with their times")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_PHASE, LEVEE_PHASE_DECODE);
    bench.master.write32(LEVEE_HOSTLINK_SEQUENCE, 3);
    bench.master.write32(LEVEE_HOSTLINK_TOKEN, 411);
    bench.master.write32(LEVEE_HOSTLINK_EXIT, 2);
    CHECK(bench.recorder.log.str() == "phase 2 5000; token 3 411 5000; exit 2 5000; ");
}

TEST_CASE("A register that is written without a bus access acts at once")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_PHASE, LEVEE_PHASE_PREFILL);
    sc_core::sc_start(sc_core::sc_time(7, sc_core::SC_NS));
    for (const Register& reg : bench.hostlink.register_file().registers())
        if (reg.offset == LEVEE_HOSTLINK_EXIT || reg.offset == LEVEE_HOSTLINK_PHASE)
            reg.write(LEVEE_PHASE_DECODE);
    CHECK(bench.recorder.log.str() == "phase 1 5000; exit 2 12000; phase 2 12000; ");
}

TEST_CASE("Marks begin and end a part of the work that was named before")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_MARK_KIND, LEVEE_MARK_DECODE_STEP);
    bench.master.write32(LEVEE_HOSTLINK_MARK_INDEX, 70'000);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 0);
    CHECK(bench.recorder.log.str() == "begin 3 70000 5000; end 3 70000 5000; ");
}

TEST_CASE("A part that begins ends the part before")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_MARK_KIND, LEVEE_MARK_DECODE_STEP);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK_INDEX, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 0);
    CHECK(bench.recorder.log.str() ==
          "begin 3 0 5000; end 3 0 5000; begin 3 1 5000; end 3 1 5000; ");
    bench.master.write32(LEVEE_HOSTLINK_MARK, 0); // No mark is open.
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("The weight of a part applies to one part only")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_MARK_KIND, LEVEE_MARK_DECODE_STEP);
    bench.master.write32(LEVEE_HOSTLINK_MARK_TIMES, static_cast<std::uint32_t>(-LEVEE_MARK_ONCE));
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 0);
    CHECK(bench.recorder.log.str() == "begin 3 0 times -840 5000; end 3 0 times -840 5000; "
                                      "begin 3 0 5000; end 3 0 5000; ");
}

TEST_CASE("Marks of unknown kinds are refused")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.master.write32(LEVEE_HOSTLINK_MARK_KIND, LEVEE_MARK_LEFT_OUT + 1);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 1);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    bench.master.write32(LEVEE_HOSTLINK_MARK_KIND, LEVEE_MARK_SELECTION);
    bench.master.write32(LEVEE_HOSTLINK_MARK, 2);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(bench.recorder.log.str().empty());
}

TEST_CASE("An event of a request is reported with the number written before")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_REQUEST, 7);
    CHECK(bench.recorder.log.str().empty());
    bench.master.write32(LEVEE_HOSTLINK_REQUEST_EVENT, LEVEE_REQUEST_TAKEN);
    bench.master.write32(LEVEE_HOSTLINK_REQUEST_EVENT, LEVEE_REQUEST_LEFT);
    CHECK(bench.recorder.log.str() == "request 1 7; request 4 7; ");
    for (const std::uint32_t none : {0u, LEVEE_REQUEST_DRAFTED + 1u}) {
        bench.master.write32(LEVEE_HOSTLINK_REQUEST_EVENT, none);
        CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    CHECK(bench.recorder.log.str() == "request 1 7; request 4 7; ");
}

TEST_CASE("A stack needs a bottom and, above it, a top")
{
    Bench bench;
    bench.master.write32(LEVEE_HOSTLINK_STACK_BOTTOM, 4096);
    bench.master.write32(LEVEE_HOSTLINK_STACK_TOP, 5120);
    CHECK(bench.recorder.log.str() == "stack 4096 5120; ");
    bench.master.write32(LEVEE_HOSTLINK_STACK_TOP, 4096);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("Metrics have a name from memory and a value of 64 bits")
{
    Bench bench;
    CHECK(bench.metric("perplexity.nll_2", LEVEE_METRIC_F64) ==
          "metric perplexity.nll_2 3 4294967303; ");
    CHECK(bench.metric(std::string(63, 'x'), LEVEE_METRIC_U64) ==
          "metric " + std::string(63, 'x') + " 1 4294967303; ");
}

TEST_CASE("Metrics without a proper name or kind are refused")
{
    Bench bench;
    for (const std::string& name :
         {std::string(), std::string("A"), std::string("a b"), std::string(64, 'x')}) {
        CHECK(bench.metric(name, LEVEE_METRIC_U64).empty());
        CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    CHECK(bench.metric("a", 0).empty());
    CHECK(bench.metric("a", 4).empty());
    bench.master.write32(LEVEE_HOSTLINK_METRIC_NAME, 0x2000); // This address is not in memory.
    bench.master.write32(LEVEE_HOSTLINK_METRIC, LEVEE_METRIC_U64);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(bench.recorder.log.str().empty());
    bench.master.write32(LEVEE_HOSTLINK_PHASE, 3);
    CHECK(bench.master.last == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("Addresses without a register, and every read, are refused")
{
    Bench bench;
    using namespace tlm;
    CHECK(bench.master.response(TLM_WRITE_COMMAND, 0x40, 4) == TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_READ_COMMAND, LEVEE_HOSTLINK_TOKEN, 4) ==
          TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.master.response(TLM_WRITE_COMMAND, LEVEE_HOSTLINK_EXIT, 1) ==
          TLM_BURST_ERROR_RESPONSE);
    CHECK(bench.recorder.log.str().empty());
}
