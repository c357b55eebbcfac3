// SentencePiece's unigram model: segments a text into the most likely sequence of pieces (Kudo, "Subword regularization", 2018,
// section 3.2).
#pragma once
#include "engine/text/piece_normalizer.h"
#include "engine/text/sentencepiece_file.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

class Unigram {
public:
    /// @throws std::runtime_error when the model's character map is malformed.
    explicit Unigram(SentencePieceModel model);
    Unigram(const Unigram&) = delete;
    Unigram& operator=(const Unigram&) = delete;

    /// Appends the pieces of @p text. Adjacent characters that no piece covers become one unknown piece together.
    /// Any number of threads may call it at the same time. @param text valid UTF-8
    void append(std::string_view text, std::vector<std::int64_t>& ids) const;

    /// Returns the text of pieces: without control and unknown pieces, with normal spaces and without the leading one.
    std::string text(const std::vector<std::int64_t>& ids) const;

    std::optional<std::int64_t> find(const std::string& piece) const;
    std::int64_t size() const { return static_cast<std::int64_t>(m_model.pieces.size()); }

private:
    /// The best segmentation up to a position in the text.
    struct BestPath {
        float score = 0;
        std::size_t from = kNone;
        std::int64_t id = -1;
    };
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void extendFrom(std::size_t position, std::string_view text, std::vector<BestPath>& paths) const;
    float scoreOf(std::int64_t id) const;
    void appendUnknown(std::string_view text, std::vector<std::int64_t>& ids) const;

    SentencePieceModel m_model;
    PieceNormalizer m_normalizer;
    std::unordered_map<std::string_view, std::int64_t> m_searchable;  ///< ids of the pieces that text can be segmented into
    std::unordered_map<std::string_view, std::int64_t> m_ids;     ///< ids of all pieces
    std::array<std::int64_t, 256> m_bytes {};  ///< id of each byte piece; -1: none
    std::size_t m_longest = 0;                 ///< bytes of the longest searchable piece
    std::int64_t m_unknown = 0;
    float m_lowestScore = 0;                   ///< lowest score of normal pieces
    float m_highestScore = 0;
};

}  // namespace engine
