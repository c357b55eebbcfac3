// The folder of a CLIP model: what must be there.
#include "engine/contract/formats/clip_folder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

namespace fs = std::filesystem;

class ClipFolderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;
    fs::path m_folder;

    void write(const char* name, const std::string& text) const { std::ofstream(m_folder / name, std::ios::binary) << text; }
    QByteArray refusal() const
    {
        try {
            contract::openClipFolder(m_folder);
            return {};
        } catch (const std::runtime_error& error) {
            return QByteArray(error.what()).replace(m_folder.c_str(), "FOLDER");
        }
    }

private Q_SLOTS:
    void init()
    {
        m_folder = fs::path(m_root.path().toStdString()) / "model";
        fs::remove_all(m_folder);
        fs::create_directories(m_folder);
        write("config.json", R"({"architectures": ["CLIPModel"], "projection_dim": 7})");
        write("model.safetensors", "");
        write("preprocessor_config.json", R"({"resample": 3})");
        write("tokenizer_config.json", "{}");
        write("tokenizer.json", "{}");
    }

    void itsPartsAreFound()
    {
        const contract::ClipFolder found = contract::openClipFolder(m_folder);
        QCOMPARE(found.root, m_folder);
        QCOMPARE(found.weights, m_folder / "model.safetensors");
        QCOMPARE(found.config.count("projection_dim"), 7);
        QCOMPARE(found.images.integer("resample"), 3);
    }

    void otherLayoutsAreFound()
    {
        fs::remove(m_folder / "tokenizer.json");
        write("vocab.json", "{}");
        write("merges.txt", "");
        fs::remove(m_folder / "preprocessor_config.json");
        write("processor_config.json", R"({"image_processor": {"resample": 3}})");
        fs::remove(m_folder / "model.safetensors");
        write("model.safetensors.index.json", "{}");
        const contract::ClipFolder found = contract::openClipFolder(m_folder);
        QCOMPARE(found.weights, m_folder / "model.safetensors.index.json");
        QCOMPARE(found.images.integer("resample"), 3);
    }

    void whatIsMissingIsNamed_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("sentence");  ///< its beginning
        QTest::newRow("everything") << QByteArray("") << QByteArray("FOLDER: does not exist");
        QTest::newRow("config") << QByteArray("config.json") << QByteArray("FOLDER: is not a model folder");
        QTest::newRow("weights") << QByteArray("model.safetensors") << QByteArray("FOLDER: has no weights in safetensors files");
        QTest::newRow("image processor") << QByteArray("preprocessor_config.json") << QByteArray("FOLDER: has no preprocessor_config.json");
        QTest::newRow("vocabulary") << QByteArray("tokenizer.json") << QByteArray("FOLDER: has no tokenizer");
        QTest::newRow("tokenizer's config") << QByteArray("tokenizer_config.json") << QByteArray("FOLDER: has no tokenizer");
    }
    void whatIsMissingIsNamed()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, sentence);
        fs::remove_all(file.isEmpty() ? m_folder : m_folder / file.toStdString());
        QVERIFY2(refusal().startsWith(sentence), refusal());
    }

    void otherModelsAreRefused()
    {
        write("config.json", R"({"architectures": ["SiglipModel"]})");
        QVERIFY2(refusal().startsWith("FOLDER: is a \"SiglipModel\", but must be a CLIPModel"), refusal());
        write("config.json", R"({"projection_dim": 7})");
        QVERIFY2(refusal().contains("architectures"), refusal());
    }
};

QTEST_APPLESS_MAIN(ClipFolderTest)
#include "tst_clip_folder.moc"
