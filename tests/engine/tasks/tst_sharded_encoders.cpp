// Text encoders that are sharded over several ranks give the same features as on one rank, and store them in the cache.
#include <ATen/ATen.h>

#include "engine/comm/errors.h"
#include "engine/contract/formats/file_content.h"
#include "engine/data/png.h"
#include "engine/tasks/prepared_images.h"
#include "engine/weights/file_weights.h"
#include "engine/weights/sharded_weights.h"
#include "tests/engine/comm/forked_ranks.h"
#include "tests/paths.h"

#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>
#include <thread>

using engine::PromptEncoderOptions;
using engine::PromptFeatures;

namespace {

namespace fs = std::filesystem;

const fs::path kSd3Pipeline = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";
constexpr std::int64_t kLength = 8;

/// Up to the rounding of matrix products of different sizes.
bool areNear(const PromptFeatures& one, const PromptFeatures& other)
{
    return at::allclose(one.embeds, other.embeds, 1e-4, 1e-5) && at::allclose(one.pooled, other.pooled, 1e-4, 1e-5);
}

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
            const auto open = [] { return engine::WeightsSource(contract::SafetensorsSet(kSd3Pipeline / "text_encoder")); };
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
            const contract::ModelFolder folder(kSd3Pipeline);
            const auto sharded = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength, .shardGroup = &mesh.world()});
            const auto whole = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength});
            const std::string own = mesh.world().rank() == 0 ? "a cat" : "two dogs and a longer text";
            return areEqual(sharded->encode(std::span(&own, 1)), whole->encode(std::span(&own, 1)));
        }), std::vector<int>());
    }

    // Where each went by what it saw itself, what another has written meanwhile would be nobody's turn.
    void ranksAgreeOnWhatIsMissing()
    {
        QCOMPARE(wellOn(3, [](engine::Mesh& mesh) {
            int looks = 0;
            const auto missing = [&](const std::set<std::size_t>& lacking, std::size_t count) {
                return engine::missingItems(mesh.world(), c10::Device(c10::DeviceType::CPU), count, [&](std::size_t i) {
                    ++looks;
                    return !lacking.contains(i);
                });
            };
            const std::vector<std::set<std::size_t>> each = {{1, 4}, {}, {4, 6}};
            return missing(each[static_cast<std::size_t>(mesh.world().rank())], 7) == std::vector<std::size_t> {1, 4} && missing({}, 7).empty()
                && missing({}, 0).empty() && looks == (mesh.world().rank() == 0 ? 14 : 0);
        }), std::vector<int>());
    }

    void whatTheFirstRankDecidesHoldsForAll_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::newRow("defect-9: nothing") << 0;
        QTest::newRow("defect-9: a few bytes") << 5;
        QTest::newRow("defect-9: several portions") << 3000001;
    }
    void whatTheFirstRankDecidesHoldsForAll()
    {
        QFETCH(int, bytes);
        QCOMPARE(wellOn(3, [&](engine::Mesh& mesh) {
            std::string expected;
            for (int i = 0; i < bytes; ++i)
                expected += static_cast<char>(i * 7 + i / 256);
            const auto decide = [&](const char* problem) {
                return engine::decidedByFirst(mesh.world(), c10::Device(c10::DeviceType::CPU), "deciding", [&](const std::function<void()>&) {
                    return problem || mesh.world().rank() != 0 ? throw std::runtime_error(problem ? problem : "not asked") : expected;
                });
            };
            std::string told;
            try {
                decide("cannot be read");
            } catch (const std::runtime_error& error) {
                told = error.what();
            }
            return decide(nullptr) == expected && told == "cannot be read";
        }), std::vector<int>());
    }

    void preparationHasALimitOfItsOwn_data()
    {
        QTest::addColumn<bool>("isShared");
        QTest::addColumn<bool>("isAlive");
        QTest::newRow("defect-9: progress counts as life, shared memory") << true << true;
        QTest::newRow("defect-9: progress counts as life, Gloo") << false << true;
        QTest::newRow("defect-9: no progress, shared memory") << true << false;
        QTest::newRow("defect-9: no progress, Gloo") << false << false;
    }
    /// Where there is progress, collectives time out after two seconds, and one of two ranks works for four.
    void preparationHasALimitOfItsOwn()
    {
        QFETCH(bool, isShared);
        QFETCH(bool, isAlive);
        using Clock = std::chrono::steady_clock;
        const auto body = [&](engine::Mesh& mesh) {
            const auto end = Clock::now() + std::chrono::seconds(mesh.world().rank() == 1 ? 4 : 0);
            std::string told;
            try {
                engine::workTogether(mesh.world(), c10::Device(c10::DeviceType::CPU), "working", [&](const std::function<void()>& pieceDone) {
                    while (Clock::now() < end) {
                        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a piece of the work
                        if (isAlive)
                            pieceDone();
                    }
                    pieceDone();
                }, std::chrono::milliseconds(isAlive ? 2000 : 500));
            } catch (const engine::EngineError& error) {
                told = error.kind() == engine::EngineError::Kind::LostPeer ? error.what() : "another kind of error";
            }
            return isAlive ? told.empty() : told.find("working") != std::string::npos;
        };
        auto codes = tests::runRanks({.world = 2, .shard = 2}, isShared ? engine::Exchange::SharedMemory : engine::Exchange::Gloo, body,
            std::chrono::seconds(isAlive ? 2 : 20));
        std::erase(codes, 0);
        QCOMPARE(codes, std::vector<int>());
    }

    void allRanksHaveTheDataOfTheFirst_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("defect-9: 2 ranks") << 2;
        QTest::newRow("defect-9: 3 ranks") << 3;
    }
    /// Each rank sees another folder and another cache, as when a network disk shows one host what another has not noticed yet.
    void allRanksHaveTheDataOfTheFirst()
    {
        QFETCH(int, ranks);
        const fs::path root = m_folder.filePath(QStringLiteral("views%1").arg(ranks)).toStdString();
        for (int view = 0; view < ranks; ++view) {
            const fs::path folder = root / std::to_string(view);
            fs::create_directories(folder);
            for (int i = 0; i < 4 - view; ++i) {
                const auto shade = static_cast<std::uint8_t>(40 * i);
                engine::writePng(folder / ("image \xff" + std::to_string(i) + ".png"), {32, 32, 3, std::vector<std::uint8_t>(32 * 32 * 3, shade)});
                std::ofstream(folder / ("image \xff" + std::to_string(i) + ".txt")) << "caption " << i;
            }
            std::ofstream(folder / "cut.png") << contract::fileBeginning(folder / "image \xff" "0.png", 60);
        }
        QCOMPARE(wellOn(ranks, [&](engine::Mesh& mesh) {
            const engine::DiffusionPipeline pipeline(contract::ModelFolder(kSd3Pipeline), {.maxSequenceLength = kLength});
            const std::string rank = std::to_string(mesh.world().rank());
            const engine::PreparedImages prepared(
                {.folder = root / rank, .resolution = 32, .cache = root / ("cache" + rank), .encoders = "tiny", .videos = {}}, pipeline,
                mesh.world(), [](const std::string&) {});
            bool isWell = prepared.training().size() == 4 && prepared.broken().size() == 1;
            for (std::size_t i = 0; i < prepared.training().size(); ++i) {
                const auto& image = prepared.training()[i];
                isWell &= image.file == root / "0" / ("image \xff" + std::to_string(i) + ".png") && image.caption == "caption " + std::to_string(i);
            }
            return isWell;
        }), std::vector<int>());
    }

    // Else each would read every image for its checksum.
    void ranksDivideTextsAndGetAllOfThem()
    {
        QCOMPARE(wellOn(3, [](engine::Mesh& mesh) {
            const auto rank = static_cast<std::size_t>(mesh.world().rank());
            std::set<std::size_t> made;
            const auto texts = engine::gatherTexts(mesh.world(), c10::Device(c10::DeviceType::CPU), 8, 4, [&](std::size_t i) {
                made.insert(i);
                return i == 5 ? throw std::runtime_error("cannot be read") : "\xff a" + std::to_string(i);
            });
            const auto none = engine::gatherTexts(mesh.world(), c10::Device(c10::DeviceType::CPU), 0, 4, [](std::size_t) { return "none"; });
            return made == std::set<std::size_t> {rank, rank + 3, rank == 2 ? rank : rank + 6} && none.empty()
                && texts == std::vector<std::string> {"\xff a0", "\xff a1", "\xff a2", "\xff a3", "\xff a4", "", "\xff a6", "\xff a7"};
        }), std::vector<int>());
    }

    void everyTextIsInTheCache_data()
    {
        QTest::addColumn<int>("texts");
        for (const int texts : {0, 1, 2, 5, 19})
            QTest::addRow("2 ranks, texts: %d", texts) << texts;
    }
    void everyTextIsInTheCache()
    {
        QFETCH(int, texts);
        const fs::path images = m_folder.filePath("images").toStdString();
        fs::create_directories(images);
        engine::writePng(images / "grey.png", {32, 32, 3, std::vector<std::uint8_t>(32 * 32 * 3, 128)});
        std::set<std::string> all;
        for (int i = 0; i < texts; ++i)
            all.insert("text " + std::to_string(i));
        const fs::path cache = m_folder.filePath(QStringLiteral("cache%1").arg(texts)).toStdString();
        QCOMPARE(wellOn(2, [&](engine::Mesh& mesh) {
            const contract::ModelFolder folder(kSd3Pipeline);
            const engine::DiffusionPipeline pipeline(folder, {.maxSequenceLength = kLength});
            const auto silent = [](const std::string&) {};
            const engine::PreparedImages prepared(
                {.folder = images, .resolution = 32, .cache = cache, .encoders = "tiny", .videos = {}}, pipeline, mesh.world(), silent);
            const auto sharded = engine::openPromptEncoder(folder, {.maxSequenceLength = kLength, .shardGroup = &mesh.world()});
            prepared.prompts().prepare(all, mesh.world(), silent, sharded.get());
            const auto filesIn = [&] { return std::distance(fs::recursive_directory_iterator(cache), fs::recursive_directory_iterator()); };
            const auto before = filesIn();
            mesh.world().barrier("before reading");
            bool isWell = true;
            for (const std::string& text : all)
                isWell &= areNear(prepared.prompts().features(text), pipeline.features(std::span(&text, 1)));
            mesh.world().barrier("after reading");
            return isWell && filesIn() == before;  // nothing had to be encoded again
        }), std::vector<int>());
    }

    void textsAreEncodedInBatches_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("texts");
        QTest::addColumn<int>("passes");  // of each rank
        QTest::newRow("defect-39: one rank") << 1 << 20 << 3;
        QTest::newRow("defect-39: fewer than a batch") << 1 << 3 << 1;
        QTest::newRow("defect-39: two ranks have as many each") << 2 << 6 << 1;
        QTest::newRow("defect-39: two ranks") << 2 << 33 << 3;
    }
    void textsAreEncodedInBatches()
    {
        QFETCH(int, ranks);
        QFETCH(int, texts);
        QFETCH(int, passes);
        std::set<std::string> all;
        for (int i = 0; i < texts; ++i)
            all.insert("text " + std::to_string(i));
        const fs::path cache = m_folder.filePath(QStringLiteral("batches%1").arg(texts)).toStdString();
        QCOMPARE(wellOn(ranks, [&](engine::Mesh& mesh) {
            /// Counts the passes of real encoders.
            struct Counting final : engine::PromptEncoder {
                explicit Counting(const engine::DiffusionPipeline& real)
                    : pipeline(real)
                {
                }
                PromptFeatures encode(std::span<const std::string> prompts) const override
                {
                    ++passes;
                    return pipeline.features(prompts);
                }
                std::vector<std::string> truncations(const std::string&) const override { return {}; }
                std::int64_t length(const std::string&) const override { return kLength; }
                const engine::DiffusionPipeline& pipeline;
                mutable int passes = 0;
            };
            const engine::DiffusionPipeline pipeline(contract::ModelFolder(kSd3Pipeline), {.maxSequenceLength = kLength});
            const engine::PromptCache prompts(pipeline, engine::FeatureCache(cache), "tiny", at::kFloat);
            const Counting counting(pipeline);
            prompts.prepare(all, mesh.world(), [](const std::string&) {}, &counting);
            bool isWell = counting.passes == passes;
            for (const std::string& text : all)
                isWell &= prompts.has(text) && areNear(prompts.features(text), pipeline.features(std::span(&text, 1)));
            mesh.world().barrier("after reading");
            return isWell;
        }), std::vector<int>());
    }
};

QTEST_APPLESS_MAIN(ShardedEncodersTest)
#include "tst_sharded_encoders.moc"
