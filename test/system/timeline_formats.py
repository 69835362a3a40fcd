# SPDX-License-Identifier: Apache-2.0
"""timeline_formats.py LEVEE FOLDER

Reads timelines in Perfetto's binary format with Google's protobuf library, and compares them with the same run's
timeline in JSON. Compares traces of a part of a run with those of the whole run. Exits with 77 without
python3-protobuf."""
import gzip
import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
except ImportError:
    print("skipped: there is no python3-protobuf")
    sys.exit(77)

LEVEE, FOLDER = sys.argv[1], Path(sys.argv[2])
RUN = ["run", "demo", "--set", "workload.max_new_tokens=3", "--quiet", "--no-report"]

# The messages of Perfetto's documentation that timelines use: name, number, type, and "*" if
# repeated.
MESSAGES = {
    "Trace": [("packet", 1, "TracePacket", "*")],
    "TracePacket": [("clock_snapshot", 6, "ClockSnapshot", ""), ("timestamp", 8, "uint64", ""),
                    ("trusted_packet_sequence_id", 10, "uint32", ""), ("track_event", 11, "TrackEvent", ""),
                    ("interned_data", 12, "InternedData", ""), ("sequence_flags", 13, "uint32", ""),
                    ("timestamp_clock_id", 58, "uint32", ""),
                    ("trace_packet_defaults", 59, "TracePacketDefaults", ""),
                    ("track_descriptor", 60, "TrackDescriptor", "")],
    "ClockSnapshot": [("clocks", 1, "Clock", "*")],
    "Clock": [("clock_id", 1, "uint32", ""), ("timestamp", 2, "uint64", ""), ("is_incremental", 3, "bool", "")],
    "TracePacketDefaults": [("timestamp_clock_id", 58, "uint32", ""),
                            ("track_event_defaults", 11, "TrackEventDefaults", "")],
    "TrackEventDefaults": [("track_uuid", 11, "uint64", "")],
    "TrackDescriptor": [("uuid", 1, "uint64", ""), ("name", 2, "string", ""), ("process", 3, "ProcessDescriptor", ""),
                        ("parent_uuid", 5, "uint64", ""), ("counter", 8, "CounterDescriptor", ""),
                        ("child_ordering", 11, "int32", ""), ("sibling_order_rank", 12, "int32", "")],
    "ProcessDescriptor": [("pid", 1, "int32", ""), ("process_name", 6, "string", "")],
    "CounterDescriptor": [("unit_name", 6, "string", "")],
    "InternedData": [("event_names", 2, "Interned", "*"), ("debug_annotation_names", 3, "Interned", "*"),
                     ("debug_annotation_string_values", 29, "Interned", "*")],
    "Interned": [("iid", 1, "uint64", ""), ("text", 2, "string", "")],
    "TrackEvent": [("debug_annotations", 4, "DebugAnnotation", "*"), ("type", 9, "int32", ""),
                   ("name_iid", 10, "uint64", ""), ("track_uuid", 11, "uint64", ""),
                   ("counter_value", 30, "int64", ""), ("double_counter_value", 44, "double", ""),
                   ("flow_ids", 47, "fixed64", "*"), ("terminating_flow_ids", 48, "fixed64", "*")],
    "DebugAnnotation": [("name_iid", 1, "uint64", ""), ("string_value", 6, "string", ""),
                        ("string_value_iid", 17, "uint64", "")],
}


def reader():
    file = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="p", syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            one = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if kind in MESSAGES:
                one.type, one.type_name = kinds.TYPE_MESSAGE, ".p." + kind
            else:
                one.type = getattr(kinds, "TYPE_" + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("p.Trace"))


def expect(holds, text):
    if not holds:
        print("failed:", text)
        sys.exit(1)


def levee(*words, code=0):
    done = subprocess.run([LEVEE, *words], cwd=FOLDER, capture_output=True, text=True, check=False)
    expect(done.returncode == code, f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


class Binary:
    """A timeline in the binary format. It has spans (process, track, name, ns, ns, arguments), values of counters
    by time, and the two spans of each arrow."""

    def __init__(self, data):
        trace = reader()()
        trace.ParseFromString(data)
        trace.DiscardUnknownFields()
        expect(trace.ByteSize() == len(data), "there are fields with other numbers")
        self.processes, self.tracks, self.counters = {}, {}, {}
        self.spans, self.arrows, self.arrow_ends = [], Counter(), Counter()
        sequences = {}
        for packet in trace.packet:
            if packet.HasField("track_descriptor"):
                self.describe(packet.track_descriptor)
            state = sequences.get(packet.trusted_packet_sequence_id)
            if packet.HasField("trace_packet_defaults"):
                expect(packet.sequence_flags == 1 and state is None, "a sequence begins twice")
                clocks = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
                expect(clocks[64].is_incremental and clocks[6].timestamp == 0, "the sequence's clock is no difference")
                expect(packet.trace_packet_defaults.timestamp_clock_id == 64, "times are of another clock")
                sequences[packet.trusted_packet_sequence_id] = {
                    "now": 0, "track": packet.trace_packet_defaults.track_event_defaults.track_uuid, "open": [],
                    "names": {}, "keys": {}, "values": {}}
            elif packet.HasField("track_event"):
                expect(packet.sequence_flags == 2, "an event without the sequence's state")
                self.event(packet, state)
        expect(not any(state["open"] for state in sequences.values()), "a span does not end")

    def describe(self, descriptor):
        if descriptor.HasField("process"):
            self.processes[descriptor.uuid] = descriptor.process.process_name
        else:
            self.tracks[descriptor.uuid] = (self.processes[descriptor.parent_uuid], descriptor.name)

    def event(self, packet, state):
        event, new = packet.track_event, packet.interned_data
        state["now"] += packet.timestamp
        for texts, added in (("names", new.event_names), ("keys", new.debug_annotation_names),
                             ("values", new.debug_annotation_string_values)):
            for one in added:
                expect(one.iid not in state[texts], "a text is numbered twice")
                state[texts][one.iid] = one.text
        track = self.tracks[event.track_uuid or state["track"]]
        for flow in event.flow_ids:
            self.arrows[flow] += 1
        for flow in event.terminating_flow_ids:
            self.arrow_ends[flow] += 1
        if event.type == 1:
            arguments = {state["keys"][one.name_iid]: state["values"][one.string_value_iid]
                         if one.HasField("string_value_iid") else one.string_value for one in event.debug_annotations}
            state["open"].append((*track, state["names"][event.name_iid], state["now"], arguments))
        elif event.type == 2:
            process, name, span, begin, arguments = state["open"].pop()
            self.spans.append((process, name, span, begin, state["now"], json.dumps(arguments, sort_keys=True)))
        elif event.type == 4:
            value = event.counter_value if event.HasField("counter_value") else event.double_counter_value
            self.counters.setdefault(track[1], []).append((state["now"], value))
        else:
            expect(event.type == 3 and state["open"], "an event of another type")


class Json:
    """A timeline in JSON, with the same members as one in Perfetto's format. Times are in ps."""

    def __init__(self, file):
        text = gzip.open(file, "rt").read() if file.suffix == ".gz" else file.read_text()
        self.bytes = len(text)
        processes, tracks, opened = {}, {}, {}
        self.spans, self.counters, self.arrows = [], {}, Counter()
        for event in json.loads(text)["traceEvents"]:
            key, kind = (event["pid"], event["tid"]), event["ph"]
            if kind == "M":
                if event["name"] == "process_name":
                    processes[event["pid"]] = event["args"]["name"]
                elif event["name"] == "thread_name":
                    tracks[key] = (processes[event["pid"]], event["args"]["name"])
                continue
            ps = round(event["ts"] * 1e6)
            if kind == "B":
                opened.setdefault(key, []).append((event["name"], ps))
            elif kind == "E":
                name, begin = opened[key].pop()
                self.spans.append((*tracks[key], name, begin, ps, "{}"))
            elif kind == "X":
                self.spans.append((*tracks[key], event["name"], ps, ps + round(event["dur"] * 1e6),
                                   json.dumps(event.get("args", {}), sort_keys=True)))
            elif kind == "C":
                self.counters.setdefault(event["name"], []).append((ps, next(iter(event["args"].values()))))
            elif kind == "s":
                self.arrows[event["id"]] += 1

    def on(self, process, track):
        return [span for span in self.spans if span[:2] == (process, track)]

    def cut(self, first, last):
        """Returns the spans that a timeline traced only from `first` to `last` must
        contain."""
        cut = [(*span[:3], max(span[3], first), min(span[4], last), span[5]) for span in self.spans]
        return Counter(new for new, old in zip(cut, self.spans) if new[3] < new[4] or old[3] == old[4] == new[3])


def same_formats(whole):
    levee(*RUN, "--trace", "timeline:whole.pftrace")
    data = (FOLDER / "whole.pftrace").read_bytes()
    levee(*RUN, "--trace", "timeline:whole.pftrace.gz")
    expect(gzip.open(FOLDER / "whole.pftrace.gz").read() == data, "the compressed file has other bytes")
    binary = Binary(data)
    ns = Counter((*span[:3], span[3] // 1000, span[4] // 1000, span[5]) for span in whole.spans)
    found = Counter(binary.spans)
    expect(found == ns, f"spans differ: {list((found - ns).items())[:3]} for {list((ns - found).items())[:3]}")
    for name, values in whole.counters.items():
        expect(binary.counters[name] == [(ps // 1000, value) for ps, value in values], f"counter {name} differs")
    expect(set(whole.arrows) == set(binary.arrows) == set(binary.arrow_ends), "arrows differ")
    expect(all(count == 1 for count in binary.arrow_ends.values()), "an arrow ends twice")
    expect(3 * len(data) < whole.bytes, f"{len(data)} bytes beside {whole.bytes} in JSON")
    print(f"whole: {len(whole.spans)} spans, JSON {whole.bytes} bytes, compressed "
          f"{(FOLDER / 'whole.json.gz').stat().st_size}; binary {len(data)}, compressed "
          f"{(FOLDER / 'whole.pftrace.gz').stat().st_size}")


def part_of(whole, part, first, last):
    levee(*RUN, "--trace", f"timeline@{part}:part.json")
    found, expected = Counter(Json(FOLDER / "part.json").spans), whole.cut(first, last)
    core = lambda spans: sorted(span[2:5] for span in spans.elements() if span[0] == "core")  # noqa: E731
    blocks = lambda spans: Counter(span for span in spans.elements() if span[0] != "core")  # noqa: E731
    expect(sum(found.values()) > 50, f"{part} has nothing")
    differ = list((blocks(found) - blocks(expected)).items())[:3], list((blocks(expected) - blocks(found)).items())[:3]
    expect(blocks(found) == blocks(expected), f"spans of {part} differ: {differ[0]} for {differ[1]}")
    # A function's span is cut at an edge of the core's clock.
    near = all(one[0] == two[0] and abs(one[1] - two[1]) <= 1000 and abs(one[2] - two[2]) <= 1000
               for one, two in zip(sorted(core(found)), sorted(core(expected))))
    odd = [Counter(core(found)) - Counter(core(expected)), Counter(core(expected)) - Counter(core(found))]
    expect(near and len(core(found)) == len(core(expected)), f"calls of {part} differ: {odd}")


def counters_begin(whole, first, last):
    for name, values in Json(FOLDER / "part.json").counters.items():
        before = [value for ps, value in whole.counters[name] if ps <= first]
        expect(values[0][0] >= first and values[-1][0] < last, f"{name} is counted outside the part")
        expect(not before or values[0] == (first, before[-1]), f"{name} does not begin with its value")


def parts(whole):
    tokens = {span[2].split(":")[0]: span for span in whole.on("program", "sequence 0")}
    first, last = tokens["token 0"][4], tokens["token 2"][4]
    part_of(whole, "token:1..2", first, last)
    part_of(whole, "token:1", first, tokens["token 1"][4])
    counters_begin(whole, first, tokens["token 1"][4])
    middle = (first + last) // 2
    part_of(whole, f"{first}ps..{middle}ps", first, middle)
    part_of(whole, f"..{first}ps@token:0..9", 0, first)
    return first, middle


def layer(whole):
    levee(*RUN, "--trace", "timeline@token:2@layer:2:part.json")
    part = Json(FOLDER / "part.json")
    of = lambda spans: Counter((span[1], span[4]) for span in spans if '"layer 2 ' in span[5])  # noqa: E731
    first, end = next(span[3:5] for span in whole.on("program", "sequence 0") if span[2].startswith("token 2:"))
    expected = of(span for span in whole.spans if first <= span[3] and span[4] <= end)
    expect(len(expected) > 5 and not expected - of(part.spans), "operations of the layer are missing")
    others = [span for span in part.spans if '"layer 0 ' in span[5]]
    expect(not others, f"operations of another layer: {others[:2]}")


def bus(first, middle):
    levee(*RUN, "--trace", "bus:whole.txt")
    levee(*RUN, "--trace", f"bus@{first}ps..{middle}ps:part.txt")
    head, *lines = (FOLDER / "whole.txt").read_text().splitlines()
    inside = [line for line in lines if first <= round(float(line.split()[0]) * 1000) < middle]
    expect(len(inside) > 50, "nothing is on the bus there")
    expect((FOLDER / "part.txt").read_text().splitlines() == [head, *inside], "lines of the bus trace differ")
    levee(*RUN, "--trace", "instr:whole.txt")
    levee(*RUN, "--trace", "instr@token:1:part.txt")
    all_lines = (FOLDER / "whole.txt").read_text()
    expect((FOLDER / "part.txt").read_text().split("\n", 1)[1] in all_lines, "instructions of a token are no part of all")


def refusals():
    for trace, reason in (("timeline@token", "it has no '..'"), ("timeline@token:x", "'x' is not a number"),
                          ("timeline@token:5..2", "it ends before it begins"), ("bus@2ms..1ms", "ends before it begins"),
                          ("bus@1..2", "'1'"), ("timeline@layer:-1", "'-1' is not a number"),
                          ("signals@1ms..2ms", "expected no @")):
        said = levee(*RUN, "--trace", trace, code=2)
        expect(reason in said, f"{trace}: {said}")
    said = levee("run", "--app", "hello", "--trace", "timeline@layer:1", code=2)
    expect("does not name its operations" in said, said)


shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
levee(*RUN, "--trace", "timeline:whole.json.gz")
WHOLE = Json(FOLDER / "whole.json.gz")
same_formats(WHOLE)
FIRST, MIDDLE = parts(WHOLE)
layer(WHOLE)
bus(FIRST, MIDDLE)
refusals()
print("passed")
