// In which order a survey measures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heron::tools {

// One measurement: a case of an operation on one input.
struct survey_item {
    std::string operation, variant, family, spec;
    std::size_t which_case = 0, which_input = 0;

    // The same in every run.
    std::string key() const { return operation + " | " + variant + " | " + spec; }
};

// Every operation with every family once before any of these pairs has its second turn, and so on: a survey
// that is cut short has seen something of everything. Which case of the operation and which input of the
// family come first is drawn at random, the same way in every run with the same seed.
std::vector<survey_item> in_survey_order(std::vector<survey_item> items, std::uint64_t seed);

// Of a survey that several devices or machines share: piece K of N, from "K/N". All of one input are in one
// piece.
struct survey_piece {
    std::size_t number = 1, count = 1;
};

// Throws std::invalid_argument where the text is no such piece.
survey_piece survey_piece_from(const std::string& text);

std::vector<survey_item> items_of(survey_piece piece, std::vector<survey_item> items);

}  // namespace heron::tools
