// Reads a SentencePiece vocabulary from spiece.model, or from the unigram model in tokenizer.json.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SentencePiece {
    enum class Kind { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

    std::string text;  ///< UTF-8, with spaces as U+2581
    float score = 0;   ///< logarithm of its probability
    Kind kind = Kind::Normal;
};

struct SentencePieceModel {
    std::vector<SentencePiece> pieces;  ///< a piece's id is its index
    std::string charactersMap;          ///< see PieceNormalizer
    bool addsSpaceBefore = true;        ///< "add_dummy_prefix"
    bool removesExtraSpaces = true;     ///< trims spaces and collapses runs of them
    bool fallsBackToBytes = false;      ///< text that no piece covers becomes <0x..> pieces; else it is unknown
};

/// Parses a serialized ModelProto of SentencePiece. @throws std::runtime_error that says what is wrong with it.
SentencePieceModel parseSentencePieceModel(std::string_view proto);

/// Reads spiece.model, or else tokenizer.json. @throws std::runtime_error naming the file and what is wrong with it.
SentencePieceModel readSentencePieceModel(const std::filesystem::path& folder);

}  // namespace engine
