// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/keys.hpp"

namespace levee::config {

inline constexpr Key sample_index_form[] = {
    count("", "Number of a step or chunk, from 0.", {0, 0xFFFF'FFFE})};
inline constexpr const char* sample_form = "a number of samples, or an ascending list of them";
inline constexpr Key steps_forms[] = {
    count32("steps", "Number of steps to simulate.", {2}).or_else("64"),
    list("steps", sample_index_form, sample_form, "Steps to simulate.").filled()};
inline constexpr Key chunks_forms[] = {
    count32("chunks", "Number of chunks to simulate.", {2}).or_else("8"),
    list("chunks", sample_index_form, sample_form, "Chunks to simulate.").filled()};

inline constexpr Word lengths_words[] = {{"growing", false}, {"final", true}};

inline constexpr Key sampling_keys[] = {
    one_of("steps", steps_forms, sample_form, "Decode steps that are simulated.").or_else("64"),
    one_of("chunks", chunks_forms, sample_form,
           "Prefill chunks of a batch entry that are simulated.")
        .or_else("8"),
    count32("layers",
            "Number of identical layers to simulate: passes run through this number and through "
            "twice as many, and other layers are extrapolated; 0: all.",
            {0, 8})
        .or_else("0"),
    word("lengths", lengths_words,
         "Number of keys and values in a step: the number cached by then (`growing`), or the "
         "final number (`final`).")
        .or_else("growing"),
};

inline constexpr Word sampling_off_words[] = {{"off", 0}};
inline constexpr Key sampling_forms[] = {
    map("sampling", sampling_keys, "Parts of the run to simulate."),
    word("sampling", sampling_off_words, "The whole run is simulated.")};

} // namespace levee::config
