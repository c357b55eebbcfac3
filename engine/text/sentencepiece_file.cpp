#include "engine/text/sentencepiece_file.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/text/protocol_buffer.h"
#include "engine/text/tokenizer_config.h"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

SentencePiece pieceFrom(std::string_view message)
{
    SentencePiece piece;
    ProtocolReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1)
            piece.text = field->bytes;
        else if (field->number == 2)
            piece.score = field->real();
        else if (field->number == 3 && field->value >= 1 && field->value <= 6)
            piece.kind = static_cast<SentencePiece::Kind>(field->value);
        else if (field->number == 3)
            throw std::runtime_error("has a piece of an unknown kind");
    }
    return piece;
}

void readTrainerSpec(std::string_view message, SentencePieceModel& model)
{
    ProtocolReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 3 && field->value != 1)
            throw std::runtime_error("is not a unigram model; T5 and UMT5 need one");
        if (field->number == 35)
            model.fallsBackToBytes = field->value != 0;
    }
}

void readNormalizerSpec(std::string_view message, SentencePieceModel& model)
{
    ProtocolReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 2)
            model.charactersMap = field->bytes;
        else if (field->number == 3)
            model.addsSpaceBefore = field->value != 0;
        else if (field->number == 4)
            model.removesExtraSpaces = field->value != 0;
        else if (field->number == 5 && field->value == 0)
            throw std::runtime_error("does not escape spaces; T5 and UMT5 write them as U+2581");
    }
}

std::string decodedBase64(const std::string& text)
{
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char character : text) {
        constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::size_t digit = kDigits.find(character);
        if (character == '=')
            break;
        if (digit == std::string_view::npos)
            throw std::runtime_error("has a character map that is not valid base64");
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFFU);
        }
    }
    return bytes;
}

/// Returns the precompiled character map, which is in the normalizer itself or in one of its parts.
std::string charactersMapOf(const json& normalizer)
{
    const auto mapOf = [](const json& part) {
        const json& map = member(part, "precompiled_charsmap");
        return map.is_string() ? decodedBase64(map.get_ref<const std::string&>()) : std::string();
    };
    std::string map = mapOf(normalizer);
    for (const json& part : member(normalizer, "normalizers")) {
        if (map.empty())
            map = mapOf(part);
    }
    return map;
}

SentencePieceModel modelFromJson(const json& content)
{
    const json& unigram = member(content, "model");
    if (member(unigram, "type") != "Unigram" || !member(unigram, "vocab").is_array())
        throw std::runtime_error("holds no unigram vocabulary (model.type is not \"Unigram\")");
    SentencePieceModel model;
    for (const json& piece : unigram["vocab"]) {
        if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number())
            throw std::runtime_error("piece " + std::to_string(model.pieces.size()) + " is not a text and a score");
        model.pieces.push_back({piece[0].get<std::string>(), piece[1].get<float>(), SentencePiece::Kind::Normal});
    }
    const auto mark = [&](const json& id, SentencePiece::Kind kind) {
        if (id.is_number_integer() && id >= 0 && id < model.pieces.size())
            model.pieces[id.get<std::size_t>()].kind = kind;
    };
    for (const json& token : member(content, "added_tokens"))
        mark(member(token, "id"), SentencePiece::Kind::Control);
    mark(member(unigram, "unk_id"), SentencePiece::Kind::Unknown);
    model.charactersMap = charactersMapOf(member(content, "normalizer"));
    model.fallsBackToBytes = member(unigram, "byte_fallback") == true;
    for (SentencePiece& piece : model.pieces) {
        if (model.fallsBackToBytes && piece.text.size() == 6 && piece.text.starts_with("<0x") && piece.text.back() == '>')
            piece.kind = SentencePiece::Kind::Byte;
    }
    return model;
}

void checkPieces(const SentencePieceModel& model)
{
    int unknown = 0;
    for (std::size_t id = 0; id < model.pieces.size(); ++id) {
        const SentencePiece& piece = model.pieces[id];
        const std::string name = "piece " + std::to_string(id);
        if (piece.text.empty() || piece.text.size() > 512)
            throw std::runtime_error(name + " has " + std::to_string(piece.text.size()) + " bytes; 1 to 512 are allowed");
        if (!std::isfinite(piece.score))
            throw std::runtime_error(name + " has a score that is not a finite number");
        unknown += piece.kind == SentencePiece::Kind::Unknown ? 1 : 0;
    }
    if (unknown != 1)
        throw std::runtime_error("has " + std::to_string(unknown) + " unknown pieces; exactly one is needed");
}

}  // namespace

SentencePieceModel parseSentencePieceModel(std::string_view proto)
{
    SentencePieceModel model;
    ProtocolReader reader(proto);
    while (const auto field = reader.next()) {
        if (field->number == 1)
            model.pieces.push_back(pieceFrom(field->bytes));
        else if (field->number == 2)
            readTrainerSpec(field->bytes, model);
        else if (field->number == 3)
            readNormalizerSpec(field->bytes, model);
    }
    checkPieces(model);
    return model;
}

SentencePieceModel readSentencePieceModel(const fs::path& folder)
{
    const fs::path proto = folder / "spiece.model";
    const fs::path both = folder / "tokenizer.json";
    const bool isProto = contract::hasEntry(proto);
    if (!isProto && !contract::hasEntry(both))
        throw std::runtime_error(folder.string() + ": has neither spiece.model nor tokenizer.json");
    try {
        if (isProto)
            return parseSentencePieceModel(contract::fileContent(proto, kMaxTokenizerFileBytes));
        SentencePieceModel model = modelFromJson(parsedJson(both));
        checkPieces(model);
        return model;
    } catch (const std::runtime_error& error) {
        const std::string sentence = error.what();
        const std::string name = (isProto ? proto : both).string();
        throw std::runtime_error(sentence.starts_with(name) ? sentence : name + ": " + sentence);
    }
}

}  // namespace engine
