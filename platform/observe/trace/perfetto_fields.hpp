// SPDX-License-Identifier: Apache-2.0
// The fields of Perfetto's trace format that timelines use, with the names from
// protos/perfetto/trace/trace_packet.proto and the files that it includes.
#pragma once

#include "platform/observe/trace/proto_message.hpp"

namespace levee::trace::perfetto {

namespace trace_file {
constexpr ProtoField packet{1};
}

namespace trace_packet {
constexpr ProtoField clock_snapshot{6}, timestamp{8}, trusted_packet_sequence_id{10},
    track_event{11}, interned_data{12}, sequence_flags{13}, timestamp_clock_id{58},
    trace_packet_defaults{59}, track_descriptor{60};
constexpr std::uint64_t incremental_state_cleared = 1, needs_incremental_state = 2;
} // namespace trace_packet

namespace trace_packet_defaults {
constexpr ProtoField track_event_defaults{11}, timestamp_clock_id{58};
}

namespace track_event_defaults {
constexpr ProtoField track_uuid{11};
}

namespace clock_snapshot {
constexpr ProtoField clocks{1};
}

namespace clock {
constexpr ProtoField clock_id{1}, timestamp{2}, is_incremental{3};
constexpr std::uint64_t boot_time = 6, first_of_a_sequence = 64;
} // namespace clock

namespace track_descriptor {
constexpr ProtoField uuid{1}, name{2}, process{3}, parent_uuid{5}, counter{8}, child_ordering{11},
    sibling_order_rank{12};
constexpr std::uint64_t by_rank = 3;
} // namespace track_descriptor

namespace process_descriptor {
constexpr ProtoField pid{1}, process_name{6};
}

namespace counter_descriptor {
constexpr ProtoField unit_name{6};
}

namespace interned_data {
constexpr ProtoField event_names{2}, debug_annotation_names{3}, debug_annotation_string_values{29};
}

/// An entry of interned data: a number and its text.
namespace interned {
constexpr ProtoField iid{1}, text{2};
}

namespace track_event {
constexpr ProtoField debug_annotations{4}, type{9}, name_iid{10}, track_uuid{11}, flow_ids{47},
    terminating_flow_ids{48}, double_counter_value{44}, counter_value{30};
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
} // namespace track_event

namespace debug_annotation {
constexpr ProtoField name_iid{1}, string_value{6}, string_value_iid{17};
}

} // namespace levee::trace::perfetto
