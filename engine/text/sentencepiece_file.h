// A SentencePiece vocabulary as files hold it: spiece.model, or the unigram model of tokenizer.json.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct SentencePiece {
    enum class Kind { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

    std::string text;  ///< UTF-8, its spaces as U+2581
    float score = 0;   ///< logarithm of its probability
    Kind kind = Kind::Normal;
};

struct SentencePieceModel {
    std::vector<SentencePiece> pieces;  ///< a piece's id is its place
    std::string charactersMap;          ///< see PieceNormalizer
    bool addsSpaceBefore = true;        ///< "add_dummy_prefix"
    bool removesExtraSpaces = true;     ///< at both ends, and all but one between words
    bool fallsBackToBytes = false;      ///< what no piece covers becomes <0x..> pieces, else unknown
};

/// @param proto a ModelProto of SentencePiece, a protocol buffer.
/// @throws std::runtime_error saying what is wrong with it.
SentencePieceModel parseSentencePieceModel(std::string_view proto);

/// From spiece.model, or else tokenizer.json. @throws std::runtime_error naming the file and what is wrong with it.
SentencePieceModel readSentencePieceModel(const std::filesystem::path& folder);

}  // namespace engine
