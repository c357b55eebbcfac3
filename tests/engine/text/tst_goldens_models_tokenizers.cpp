// Token ids equal those of Hugging Face's tokenizers, for all tokenizers and pipelines in the goldens.
#include "engine/text/prompt_template.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/goldens/case_rows.h"
#include "tests/engine/goldens/golden_folders.h"

#include <QtTest>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using nlohmann::json;
using Ids = std::vector<std::int64_t>;

namespace {

json jsonOf(const fs::path& file) { return json::parse(std::ifstream(file)); }

QByteArray shown(const Ids& ids) { return QByteArray::fromStdString(json(ids).dump()); }

/// One row for each layout of each tokenizer: with tokenizer.json, and as published pipelines have it.
void addTokenizers()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("table");
    for (const fs::path& path : tests::rowsOf(tests::modelCases(tests::CaseKind::Tokenizer))) {
        for (const char* layout : {"tokenizer", "tokenizer_legacy"}) {
            const fs::path folder = path / layout;
            if (fs::exists(folder))
                QTest::newRow((path.filename() / layout).c_str())
                    << QString::fromStdString(folder.string()) << QString::fromStdString((path / "table.json").string());
        }
    }
}

/// Values of an I64 tensor of a safetensors file.
Ids tensor(const fs::path& file, const std::string& name)
{
    std::ifstream stream(file, std::ios::binary);
    std::uint64_t size = 0;
    stream.read(reinterpret_cast<char*>(&size), sizeof(size));
    std::string header(size, '\0');
    stream.read(header.data(), static_cast<std::streamsize>(size));
    const json entry = json::parse(header).at(name);
    const std::uint64_t begin = entry.at("data_offsets")[0];
    const std::uint64_t end = entry.at("data_offsets")[1];
    Ids values((end - begin) / sizeof(std::int64_t));
    stream.seekg(static_cast<std::streamoff>(8 + size + begin));
    stream.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(end - begin));
    return values;
}

}  // namespace

class TokenizerGoldens : public QObject {
    Q_OBJECT

    json m_table;
    std::unique_ptr<engine::Tokenizer> m_tokenizer;

    void open()
    {
        QFETCH(QString, folder);
        QFETCH(QString, table);
        m_table = jsonOf(table.toStdString());
        m_tokenizer = engine::openTokenizer(folder.toStdString());
    }

private Q_SLOTS:
    void sectionsAreKnown_data() { addTokenizers(); }
    void sectionsAreKnown()
    {
        open();
        const std::set<std::string> known = {"batch_longest", "class", "decode", "libraries", "no_special_tokens", "notes",
            "padded_truncated", "plain", "special_ids", "tokenizer"};
        for (const auto& [section, content] : m_table.items())
            QVERIFY2(known.contains(section), section.c_str());
    }

    void textsBetweenSpecialTokens_data() { addTokenizers(); }
    void textsBetweenSpecialTokens()
    {
        open();
        for (const json& row : m_table.at("plain")) {
            const std::string text = row.at("text");
            const Ids ids = m_tokenizer->encoded(text, 100000);
            QVERIFY2(ids == row.at("ids").get<Ids>(), (text + " became " + shown(ids).toStdString()).c_str());
        }
    }

    void textsAlone_data() { addTokenizers(); }
    void textsAlone()
    {
        open();
        for (const json& row : m_table.at("no_special_tokens")) {
            const std::string text = row.at("text");
            const Ids ids = m_tokenizer->tokens(text);
            QVERIFY2(ids == row.at("ids").get<Ids>(), (text + " became " + shown(ids).toStdString()).c_str());
        }
    }

    void paddedAndTruncated_data() { addTokenizers(); }
    void paddedAndTruncated()
    {
        open();
        for (const json& row : m_table.at("padded_truncated")) {
            const std::string text = row.at("text");
            const auto batch = m_tokenizer->encodedBatch(
                std::vector<std::string> {text}, row.at("max_length"), engine::Padding::ToMaxLength);
            QCOMPARE(batch.length, row.at("max_length").get<std::int64_t>());
            QVERIFY2(batch.ids == row.at("ids").get<Ids>(), (text + " became " + shown(batch.ids).toStdString()).c_str());
            QVERIFY2(batch.mask == row.at("attention_mask").get<Ids>(), text.c_str());
        }
    }

    void batchPaddedToItsLongestRow_data() { addTokenizers(); }
    void batchPaddedToItsLongestRow()
    {
        open();
        const json& section = m_table.at("batch_longest");
        const auto batch = m_tokenizer->encodedBatch(section.at("texts").get<std::vector<std::string>>(),
            section.at("max_length"), engine::Padding::ToLongestRow);
        Ids ids;
        Ids mask;
        for (const Ids row : section.at("ids"))
            ids.insert(ids.end(), row.begin(), row.end());
        for (const Ids row : section.at("attention_mask"))
            mask.insert(mask.end(), row.begin(), row.end());
        QCOMPARE(batch.rows, static_cast<std::int64_t>(section.at("ids").size()));
        QCOMPARE(batch.rows * batch.length, static_cast<std::int64_t>(ids.size()));
        QVERIFY2(batch.ids == ids, shown(batch.ids));
        QVERIFY(batch.mask == mask);
    }

    void idsBecomeText_data() { addTokenizers(); }
    void idsBecomeText()
    {
        open();
        for (const json& row : m_table.at("decode")) {
            const std::string expected = row.at("text");
            QCOMPARE(QString::fromStdString(m_tokenizer->decoded(row.at("ids").get<Ids>())), QString::fromStdString(expected));
        }
    }

    void specialIds_data() { addTokenizers(); }
    void specialIds()
    {
        open();
        const json& expected = m_table.at("special_ids");
        const auto& special = m_tokenizer->specialIds();
        const auto isEqual = [&](const char* name, std::optional<std::int64_t> id) {
            return expected.at(name).is_null() ? !id : id == expected.at(name).get<std::int64_t>();
        };
        QVERIFY(isEqual("pad", special.pad));
        QVERIFY(isEqual("eos", special.end));
        QVERIFY(isEqual("bos", special.begin));
        QVERIFY(isEqual("unk", special.unknown));
        QCOMPARE(m_tokenizer->size(), expected.at("vocab_size_with_added").get<std::int64_t>());
        QCOMPARE(expected.size(), std::size_t {5});
    }

    void promptsOfPipelines_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("tokenizer");
        for (const fs::path& path : tests::rowsOf(tests::modelCases(tests::CaseKind::Pipeline))) {
            for (const char* tokenizer : {"tokenizer", "tokenizer_2", "tokenizer_3"}) {
                if (fs::exists(path / "pipeline" / tokenizer))
                    QTest::newRow((path.filename() / tokenizer).c_str()) << QString::fromStdString(path.string()) << tokenizer;
            }
        }
    }
    void promptsOfPipelines()
    {
        QFETCH(QString, folder);
        QFETCH(QString, tokenizer);
        const fs::path path = folder.toStdString();
        const std::string name = tokenizer.toStdString();
        const json facts = jsonOf(path / "case.json");
        const std::int64_t maxLength = facts.value("max_sequence_length", 512);
        engine::PromptTemplate form = engine::clipPrompt();
        if (facts.at("class") == "QwenImagePipeline")
            form = engine::qwenImagePrompt(maxLength);
        else if (name == "tokenizer_3")
            form = engine::t5Prompt(maxLength);
        QCOMPARE(form.droppedStates, facts.value("template_tokens_dropped", std::int64_t {0}));

        const auto opened = engine::openTokenizer(path / "pipeline" / name);
        const fs::path expected = path / "expected.safetensors";
        for (const std::string kind : {"prompt", "negative"}) {
            const auto batch
                = tokenizedPrompts(*opened, form, facts.at(kind == "prompt" ? "prompts" : "negative_prompts").get<std::vector<std::string>>());
            const std::string key = name + "." + kind;
            QVERIFY2(batch.ids == tensor(expected, key + "_ids"), shown(batch.ids));
            if (form.hasAttentionMask)
                QVERIFY(batch.mask == tensor(expected, key + "_mask"));
        }
    }
};

QTEST_GUILESS_MAIN(TokenizerGoldens)
#include "tst_goldens_models_tokenizers.moc"
