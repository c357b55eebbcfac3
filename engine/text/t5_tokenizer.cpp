#include "engine/text/t5_tokenizer.h"

#include "engine/text/unicode.h"
#include "engine/text/unigram.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

class T5Tokenizer : public Tokenizer {
public:
    T5Tokenizer(SentencePieceModel model, TokenizerConfig config)
        : m_unigram(std::move(model))
    {
        addExtraIds(config);
        for (AddedToken& token : config.addedTokens)
            token.isNormalized = false;  // the normalized text is not plain text, so tokens cannot be matched in it
        setTokens(config, m_unigram.size());
        setSurroundingTokens({}, {specialIds().end.value()});
    }

protected:
    std::optional<std::int64_t> find(const std::string& token) const override { return m_unigram.find(token); }

    std::u32string normalized(std::u32string_view text) const override { return std::u32string(text); }

    void appendTokens(std::u32string_view text, std::vector<std::int64_t>& ids) const override
    {
        m_unigram.append(utf8(text), ids);
    }

    std::string textOf(const std::vector<std::int64_t>& ids) const override { return m_unigram.text(ids); }

private:
    /// <extra_id_0> has the last id. Files that name one of these tokens name all of them.
    void addExtraIds(TokenizerConfig& config) const
    {
        const auto isExtra = [](const AddedToken& token) { return token.content.starts_with("<extra_id_"); };
        if (m_unigram.find("<extra_id_0>") || std::any_of(config.addedTokens.begin(), config.addedTokens.end(), isExtra))
            return;
        for (std::int64_t number = 0; number < config.extraIds; ++number) {
            const std::int64_t id = m_unigram.size() + config.extraIds - 1 - number;
            config.addedTokens.push_back({"<extra_id_" + std::to_string(number) + ">", id});
        }
    }

    Unigram m_unigram;
};

}  // namespace

std::unique_ptr<Tokenizer> openT5Tokenizer(const std::filesystem::path& folder, TokenizerConfig config)
{
    config.beginToken.clear();  // never used
    for (const auto& [token, name] : {std::pair(&config.padToken, "<pad>"), std::pair(&config.endToken, "</s>"), std::pair(&config.unknownToken, "<unk>")}) {
        if (token->empty())
            *token = name;
    }
    SentencePieceModel model = readSentencePieceModel(folder);
    try {
        return std::make_unique<T5Tokenizer>(std::move(model), std::move(config));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(folder.string() + ": " + error.what());
    }
}

}  // namespace engine
