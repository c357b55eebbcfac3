// Text encoders whose weights lie on several ranks say the same as those of one, and leave it in the cache.
#include <ATen/ATen.h>

#include "engine/data/png.h"
#include "engine/model/file_weights.h"
#include "engine/model/sharded_weights.h"
#include "engine/train/prepared_pictures.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <set>

using engine::PromptEncoderOptions;
using engine::PromptFeatures;

namespace {

namespace fs = std::filesystem;

const fs::path kPipeline = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";
constexpr std::int64_t kLength = 8;

bool areEqual(const PromptFeatures& one, const PromptFeatures& other)
{
    return at::equal(one.embeds, other.embeds) && at::equal(one.pooled, other.pooled);
}

}  // namespace

class ShardedEncodersTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    static std::vector<int> wellOn(int ranks, const std::function<bool(engine::Mesh&)>& body)
    {
        auto codes = tests::runRanks({.world = ranks, .shard = ranks}, engine::Exchange::Automatic, body);
        std::erase(codes, 0);
        return codes;
    }

private Q_SLOTS:
    void aTensorComesWhole_data()
    {
        QTest::addColumn<int>("ranks");
        for (const int ranks : {1, 2, 3, 4})
            QTest::addRow("ranks: %d", ranks) << ranks;
    }
    void aTensorComesWhole()
    {
        QFETCH(int, ranks);
        QCOMPARE(wellOn(ranks, [](engine::Mesh& mesh) {
            const auto open = [] { return engine::WeightsSource(contract::SafetensorsSet(kPipeline / "text_encoder")); };
            const engine::FileWeights whole(open(), at::kFloat);
            const engine::ShardedWeights sharded(open(), at::kFloat, c10::Device(c10::DeviceType::CPU), mesh.world());
            bool isWell = !sharded.contains("nothing");
            for (const int time : {1, 2}) {  // from the file, then from memory
                for (const std::string& name : open().names())
                    isWell &= sharded.contains(name) && at::equal(sharded.tensor(name), whole.tensor(name)) && time > 0;
            }
            return isWell;
        }), std::vector<int>());
    }

    void ranksEncodeTogetherWhatOneEncodes()
    {
        QCOMPARE(wellOn(2, [](engine::Mesh& mesh) {
            const contract::ModelFolder folder(kPipeline);
            const auto sharded = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength, .shards = &mesh.world()});
            const auto whole = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength});
            const std::string own = mesh.world().rank() == 0 ? "a cat" : "two dogs and a longer text";
            return areEqual(sharded->encode(std::span(&own, 1)), whole->encode(std::span(&own, 1)));
        }), std::vector<int>());
    }

    // Where each went by what it saw itself, what another has written meanwhile would be nobody's turn.
    void ranksAgreeOnWhatIsMissing()
    {
        QCOMPARE(wellOn(3, [](engine::Mesh& mesh) {
            const auto missing = [&](const std::set<std::size_t>& lacking, std::size_t count) {
                return engine::missingAnywhere(mesh.world(), c10::Device(c10::DeviceType::CPU), count, [&](std::size_t i) { return !lacking.contains(i); });
            };
            const std::vector<std::set<std::size_t>> each = {{1, 4}, {}, {4, 6}};
            return missing(each[static_cast<std::size_t>(mesh.world().rank())], 7) == std::vector<std::size_t> {1, 4, 6} && missing({}, 7).empty()
                && missing({}, 0).empty();
        }), std::vector<int>());
    }

    // Else each would read every picture for its checksum.
    void ranksDivideTextsAndGetAllOfThem()
    {
        QCOMPARE(wellOn(3, [](engine::Mesh& mesh) {
            const auto rank = static_cast<std::size_t>(mesh.world().rank());
            std::set<std::size_t> made;
            const auto texts = engine::textsOfAll(mesh.world(), c10::Device(c10::DeviceType::CPU), 8, 4, [&](std::size_t i) {
                made.insert(i);
                return i == 5 ? throw std::runtime_error("cannot be read") : "\xff a" + std::to_string(i);
            });
            const auto none = engine::textsOfAll(mesh.world(), c10::Device(c10::DeviceType::CPU), 0, 4, [](std::size_t) { return "none"; });
            return made == std::set<std::size_t> {rank, rank + 3, rank == 2 ? rank : rank + 6} && none.empty()
                && texts == std::vector<std::string> {"\xff a0", "\xff a1", "\xff a2", "\xff a3", "\xff a4", "", "\xff a6", "\xff a7"};
        }), std::vector<int>());
    }

    void everyTextIsInTheCache_data()
    {
        QTest::addColumn<int>("texts");
        for (const int texts : {0, 1, 2, 5})
            QTest::addRow("2 ranks, texts: %d", texts) << texts;
    }
    void everyTextIsInTheCache()
    {
        QFETCH(int, texts);
        const fs::path pictures = m_folder.filePath("pictures").toStdString();
        fs::create_directories(pictures);
        engine::writePng(pictures / "grey.png", {32, 32, 3, std::vector<std::uint8_t>(32 * 32 * 3, 128)});
        std::set<std::string> all;
        for (int i = 0; i < texts; ++i)
            all.insert("text " + std::to_string(i));
        const fs::path cache = m_folder.filePath(QStringLiteral("cache%1").arg(texts)).toStdString();
        QCOMPARE(wellOn(2, [&](engine::Mesh& mesh) {
            const contract::ModelFolder folder(kPipeline);
            const engine::DiffusionPipeline pipeline(folder, {.maxSequenceLength = kLength});
            const auto silent = [](const std::string&) {};
            const engine::PreparedPictures prepared(
                {.folder = pictures, .resolution = 32, .cache = cache, .encoders = "tiny", .clips = {}}, pipeline, mesh.world(), silent);
            const auto sharded = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength, .shards = &mesh.world()});
            prepared.prompts().prepare(all, mesh.world(), silent, sharded.get());
            const auto filesIn = [&] { return std::distance(fs::recursive_directory_iterator(cache), fs::recursive_directory_iterator()); };
            const auto before = filesIn();
            mesh.world().barrier("before reading");
            bool isWell = true;
            for (const std::string& text : all)
                isWell &= areEqual(prepared.prompts().features(text), pipeline.features(std::span(&text, 1)));
            mesh.world().barrier("after reading");
            return isWell && filesIn() == before;  // nothing had to be encoded again
        }), std::vector<int>());
    }
};

QTEST_APPLESS_MAIN(ShardedEncodersTest)
#include "tst_sharded_encoders.moc"
