// SentencePiece's unigram model: a text is cut into the pieces that are likeliest together (Kudo, "Subword regularization",
// 2018, section 3.2).
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
    /// @throws std::runtime_error when the model's map of characters is malformed.
    explicit Unigram(SentencePieceModel model);
    Unigram(const Unigram&) = delete;
    Unigram& operator=(const Unigram&) = delete;

    /// Appends the pieces of @p text; neighbours that no piece covers are one unknown piece together.
    /// Any number of threads may call it at once. @param text valid UTF-8.
    void append(std::string_view text, std::vector<std::int64_t>& ids) const;

    /// The text of pieces without control and unknown ones, its spaces as spaces, without the one in front.
    std::string text(const std::vector<std::int64_t>& ids) const;

    std::optional<std::int64_t> find(const std::string& piece) const;
    std::int64_t size() const { return static_cast<std::int64_t>(m_model.pieces.size()); }

private:
    /// The best way to a place in the text.
    struct Arrival {
        float score = 0;
        std::size_t from = kNowhere;
        std::int64_t id = -1;
    };
    static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

    void leave(std::size_t place, std::string_view text, std::vector<Arrival>& arrivals) const;
    float scoreOf(std::int64_t id) const;
    void appendUnknown(std::string_view text, std::vector<std::int64_t>& ids) const;

    SentencePieceModel m_model;
    PieceNormalizer m_normalizer;
    std::unordered_map<std::string_view, std::int64_t> m_usable;  ///< pieces that text is cut into
    std::unordered_map<std::string_view, std::int64_t> m_ids;     ///< all of them
    std::array<std::int64_t, 256> m_bytes {};  ///< -1: none
    std::size_t m_longest = 0;                 ///< bytes of a usable piece
    std::int64_t m_unknown = 0;
    float m_lowestScore = 0;                   ///< of normal pieces
    float m_highestScore = 0;
};

}  // namespace engine
