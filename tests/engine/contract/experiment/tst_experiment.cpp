#include "engine/contract/run/image_request.h"
#include "tests/engine/contract/experiment/parsed_experiment.h"
#include "tests/paths.h"

#include <QtTest>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>

using contract::Experiment;
using contract::Option;
using contract::OptionType;
using contract::OptionValue;
using tests::messages;
using tests::parsed;

namespace {

/// A valid value that is not the default.
OptionValue otherValue(const Option& option)
{
    switch (option.type) {
    case OptionType::Boolean:
        return !std::get<bool>(option.defaultValue);
    case OptionType::Integer: {
        const auto value = std::get<std::int64_t>(option.defaultValue);
        return static_cast<double>(value) < option.maximum ? value + 1 : value - 1;
    }
    case OptionType::Real:
        return std::nextafter(std::get<double>(option.defaultValue), option.minimum)
                == std::get<double>(option.defaultValue)
            ? std::nextafter(std::get<double>(option.defaultValue), option.maximum)
            : std::nextafter(std::get<double>(option.defaultValue), option.minimum);
    case OptionType::Choice:
        return std::string(option.choices.back());
    case OptionType::Text:
    case OptionType::FilePath:
    case OptionType::FolderPath:
        return std::string("/tmp/it's \"a\" \\ name\t\x7f ü 数");
    }
    return {};
}

}  // namespace

class ExperimentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tomlGivesBackEveryOption_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < contract::options().size(); ++i)
            QTest::newRow(contract::options()[i].key.data()) << static_cast<int>(i);
    }
    void tomlGivesBackEveryOption()
    {
        QFETCH(int, index);
        const Option& option = contract::options()[static_cast<std::size_t>(index)];
        Experiment experiment;
        QVERIFY(!experiment.set(option.key, otherValue(option)));
        for (const auto what : {Experiment::Write::Everything, Experiment::Write::ChangedOnly}) {
            const auto read = parsed(experiment.toToml(what));
            QVERIFY2(read.problems.empty(), messages(read).c_str());
            QVERIFY(read.experiment == experiment);
        }
        // The text form, as given to --set, restores the value, too.
        Experiment other;
        QVERIFY(!other.setText(option.key, contract::toText(experiment.value(option.key))));
        QVERIFY(other == experiment);
    }

    void realsKeepEveryBitInToml()
    {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> exponents(-300, 1.9);
        for (int i = 0; i < 2000; ++i) {
            Experiment experiment;
            const double value = std::pow(10.0, exponents(random));
            QVERIFY(!experiment.set("optim.lr", value));
            QCOMPARE(parsed(experiment.toToml(Experiment::Write::ChangedOnly)).experiment.real("optim.lr"), value);
        }
    }

    void onlyChangesAreWrittenWhenAsked()
    {
        Experiment experiment;
        QCOMPARE(experiment.toToml(Experiment::Write::ChangedOnly), "");
        QVERIFY(!experiment.setText("optim.lr", "0.5"));
        QCOMPARE(experiment.toToml(Experiment::Write::ChangedOnly), "[optim]\nlr = 0.5\n");
        experiment.reset("optim.lr");
        QVERIFY(experiment == Experiment());
    }

    void allProblemsAreReportedTogetherWithTheirLines()
    {
        const auto read = parsed("[optim]\nlrr = 1\nlr = -1\n\n[run]\ntotal_steps = \"many\"\n"
                                 "deterministic = 1\n[launch]\nranks = [1, 2]\n[schedule]\ntype = \"stairs\"\n");
        QStringList keys;
        QList<int> lines;
        for (const contract::Problem& problem : read.problems) {
            keys << QString::fromStdString(problem.key);
            lines << problem.line;
        }
        QCOMPARE(keys, QStringList({"optim.lrr", "optim.lr", "run.total_steps", "run.deterministic",
                           "launch.ranks", "schedule.type"}));
        QCOMPARE(lines, QList<int>({2, 3, 6, 7, 9, 11}));
        const std::string all = messages(read);
        for (const char* part : {"unknown key optim.lrr; did you mean optim.lr?",
                 "optim.lr = -1: must be a number from 0 to 100", "run.total_steps = \"many\": must be an integer",
                 "true or false", "one of: constant, cosine"})
            QVERIFY2(all.find(part) != std::string::npos, (all + "lacks: " + part).c_str());
    }

    void whatWasRightIsKeptBesideProblems()
    {
        const auto read = parsed("[optim]\nlr = 0.25\nbeta1 = 7\n");
        QCOMPARE(read.problems.size(), std::size_t(1));
        QCOMPARE(read.experiment.real("optim.lr"), 0.25);
        QCOMPARE(read.experiment.real("optim.beta1"), 0.9);
    }

    void valuesOutOfTypeOrRangeLeaveTheExperimentUnchanged_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* key, const char* text, const char* number = "") {
            QTest::addRow("%s %s=%s", number, key, text) << QByteArray(key) << QByteArray(text);
        };
        row("optim.lr", "nan");
        row("optim.lr", "NaN");
        row("optim.lr", "Infinity");
        row("optim.clip_norm", "Infinity");
        row("optim.lr", "1e-4x");
        row("optim.lr", "");
        row("optim.beta1", "1");
        row("optim.clip_norm", "-1", "E-177");
        row("optim.kind", "sgd", "E-170");
        row("engine.compute_dtype", "fp64", "E-005, E-044");
        row("engine.compute_dtype", "64", "E-005");
        row("engine.reduce_dtype", "float16", "E-044");
        row("lora.dropout", "1", "E-090");
        row("lora.dtype", "int8", "E-094");
        row("lora.init", "pissa", "E-090");
        row("scaler.initial", "0", "E-188");
        row("model.name", "unet", "E-011");
        row("algorithm.name", "ddpm", "E-011");
        row("run.device", "npu", "E-011");
        row("batch.accumulation", "0", "E-144");
        row("launch.ranks", "0");
        row("launch.ranks", "1025");
        row("launch.ranks", "2.5");
        row("launch.ranks", "99999999999999999999");
        row("run.deterministic", "yes");
        row("run.device", "tpu");
        row("run.nothing", "1");
    }
    void valuesOutOfTypeOrRangeLeaveTheExperimentUnchanged()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, text);
        Experiment experiment;
        const auto problem = experiment.setText(key.toStdString(), text.toStdString());
        QVERIFY(problem);
        const std::string& message = problem->message;
        QVERIFY2(message.find(key.toStdString()) != std::string::npos, message.c_str());
        QVERIFY2(message.starts_with("unknown key") || message.find(text.toStdString()) != std::string::npos, message.c_str());
        QVERIFY(experiment == Experiment());
    }

    void whatOtherEnginesOfferIsRefusedWithTheReason_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* what, const char* name, const char* value, const char* reason) {
            QTest::newRow(what) << QByteArray(name) << QByteArray(value) << QByteArray(reason);
        };
        const char* const layers = "no layer is divided over ranks; engine.shard_size divides the parameters, ";
        row("E-018 model parallelism", "model_parallel", "2", layers);
        row("E-018 tensor parallelism", "tensor_parallel_size", "2", layers);
        row("E-018 pipelines", "pipeline_parallel_size", "2", layers);
        row("E-018 context parallelism", "context_parallel_size", "2", "engine.ring divides sequences over ranks");
        const char* const sharded = "parameters are always fully sharded, as with FSDP2; engine.shard_size";
        row("E-050 a strategy", "strategy", "\"ddp\"", sharded);
        row("E-213 another backend", "fsdp", "false", sharded);
    }
    void whatOtherEnginesOfferIsRefusedWithTheReason()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, reason);
        const auto expected = [&](const QByteArray& text) {
            return QString::fromUtf8("engine." + name + " = " + text + " is not supported: " + reason);
        };
        const auto read = parsed(("[engine]\n" + name + " = " + value).toStdString());
        QCOMPARE(read.problems.size(), std::size_t(1));
        QCOMPARE(read.problems.front().line, 2);
        QVERIFY2(QString::fromStdString(read.problems.front().message).startsWith(expected(value)), messages(read).c_str());
        QVERIFY(read.experiment == Experiment());
        // As given to --set.
        Experiment experiment;
        const QByteArray text = QByteArray(value).replace('"', "");
        const auto problem = experiment.setText(("engine." + name).toStdString(), text.toStdString());
        QVERIFY(problem);
        QVERIFY2(QString::fromStdString(problem->message).startsWith(expected(text)), problem->message.c_str());
        // Unlike a key that nobody knows.
        const auto unknown = parsed(("[engine]\nsome_" + name + " = " + value).toStdString());
        QVERIFY2(messages(unknown).starts_with("2 unknown key engine.some_"), messages(unknown).c_str());
    }

    void whatIsAlwaysSoMayBeAskedFor_data()
    {
        QTest::addColumn<QByteArray>("setting");
        for (const char* setting : {"strategy = \"fsdp\"", "strategy = \"fsdp2\""})
            QTest::addRow("E-050 %s", setting) << QByteArray(setting);
        QTest::newRow("E-213 fsdp = true") << QByteArray("fsdp = true");
    }
    void whatIsAlwaysSoMayBeAskedFor()
    {
        QFETCH(QByteArray, setting);
        const auto read = parsed(("[engine]\n" + setting).toStdString());
        QVERIFY2(read.problems.empty(), messages(read).c_str());
        QVERIFY(read.experiment == Experiment());
        Experiment experiment;
        const QList<QByteArray> parts = setting.replace('"', "").split(' ');
        QVERIFY(!experiment.setText(("engine." + parts.front()).toStdString(), parts.back().toStdString()));
        QVERIFY(experiment == Experiment());
    }

    void trainingAndSamplingHaveTheirOwnDtypes_E005()
    {
        QCOMPARE(Experiment().text("engine.compute_dtype"), std::string("bf16"));  // weights are float32, see tst_precision
        QCOMPARE(contract::ImageRequest().dtype, std::string("bf16"));
    }

    void dtypesHaveSeveralSpellings_data()
    {
        QTest::addColumn<QByteArray>("written");
        QTest::addColumn<QByteArray>("dtype");
        const auto row = [](const char* written, const char* dtype) {
            QTest::addRow("E-005 %s", written) << QByteArray(written) << QByteArray(dtype);
        };
        for (const char* written : {"16", "\"16\"", "\"fp16\"", "\"float16\""})
            row(written, "fp16");
        for (const char* written : {"32", "\"32\"", "\"fp32\"", "\"float32\""})
            row(written, "fp32");
        for (const char* written : {"\"bf16\"", "\"bfloat16\""})
            row(written, "bf16");
    }
    void dtypesHaveSeveralSpellings()
    {
        QFETCH(QByteArray, written);
        QFETCH(QByteArray, dtype);
        const auto read = parsed("[engine]\ncompute_dtype = " + written.toStdString());
        QVERIFY2(read.problems.empty(), messages(read).c_str());
        QCOMPARE(read.experiment.text("engine.compute_dtype"), dtype.toStdString());
        Experiment other;
        QVERIFY(!other.setText("engine.compute_dtype", QByteArray(written).replace('"', "").toStdString()));
        QCOMPARE(other, read.experiment);
    }

    void whatIsNoDtypeIsNamed_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::addColumn<QString>("message");
        QTest::newRow("E-005 another number") << QByteArray("[engine]\ncompute_dtype = 64") << "engine.compute_dtype = 64: must be one of: fp32, bf16, fp16";
        QTest::newRow("E-005 a truth") << QByteArray("[engine]\ncompute_dtype = true") << "engine.compute_dtype = true: must be";
        QTest::newRow("E-005 a dtype elsewhere") << QByteArray("[optim]\nkind = 32") << "optim.kind = 32: must be one of: adamw";
    }
    void whatIsNoDtypeIsNamed()
    {
        QFETCH(QByteArray, toml);
        QFETCH(QString, message);
        const std::string all = messages(parsed(toml.toStdString()));
        QVERIFY2(QString::fromStdString(all).contains(message), all.c_str());
    }

    void textThatTomlCannotHoldIsRejected()
    {
        Experiment experiment;
        QVERIFY(experiment.setText("data.path", "/tmp/\xff\xfe"));
        QVERIFY(experiment.setText("run.name", std::string("a\0b", 3)));
        QVERIFY(experiment == Experiment());
    }

    void askingForTheWrongTypeIsOurOwnBug()
    {
        const Experiment experiment;
        QVERIFY_EXCEPTION_THROWN(experiment.integer("optim.lr"), std::logic_error);
        QVERIFY_EXCEPTION_THROWN(experiment.real("optim.lrr"), std::logic_error);
    }

    void relativePathsAreRelativeToTheFile()
    {
        QCOMPARE(parsed("[data]\npath = \"../d.csv\"").experiment.text("data.path"), "/d.csv");
        QCOMPARE(parsed("[data]\npath = \"/d.csv\"").experiment.text("data.path"), "/d.csv");
    }

    void validationNamesWhatIsMissing()
    {
        Experiment experiment;
        QVERIFY(!experiment.setText("data.path", "/nowhere/digits.csv.gz"));
        QVERIFY(!experiment.setText("model.heads", "3"));
        std::string all;
        for (const contract::Problem& problem : experiment.validate())
            all += problem.message + "\n";
        QVERIFY2(all.find("\"/nowhere/digits.csv.gz\": no such file") != std::string::npos, all.c_str());
        QVERIFY2(all.find("model.width = 128: must be a multiple of twice model.heads = 3") != std::string::npos,
            all.c_str());
    }

    void anAdapterTrainsAloneAndItsDropoutNeedsWholeSequences_E090()
    {
        Experiment experiment;
        const std::pair<const char*, const char*> set[] = {{"model.name", "diffusers"}, {"lora.rank", "4"}, {"model.trainable", "*.bias"},
            {"lora.dropout", "0.1"}, {"engine.ulysses", "2"}, {"launch.ranks", "2"}, {"lora.init", "orthogonal"}};
        for (const auto& [key, text] : set)
            QVERIFY(!experiment.setText(key, text));
        const auto allMessages = [&] {
            std::string all;
            for (const contract::Problem& problem : experiment.validate())
                all += problem.message + "\n";
            return all;
        };
        QVERIFY2(allMessages().find("model.trainable = \"*.bias\": with an adapter, only the adapter trains") != std::string::npos, allMessages().c_str());
        QVERIFY2(allMessages().find("lora.dropout = 0.1: ranks that share a sequence") != std::string::npos, allMessages().c_str());
        QVERIFY2(allMessages().find("must be even") == std::string::npos, allMessages().c_str());
        QVERIFY(!experiment.setText("lora.rank", "3"));
        QVERIFY2(allMessages().find("lora.rank = 3: must be even for lora.init = \"orthogonal\"") != std::string::npos, allMessages().c_str());
        QVERIFY(!experiment.setText("lora.rank", "0"));
        QVERIFY2(allMessages().find("lora.") == std::string::npos && allMessages().find("model.trainable") == std::string::npos, allMessages().c_str());
    }

    void theDigitsExperimentIsReadyToStart()
    {
        const auto read = contract::loadExperiment(ATELIER_SOURCE_DIR "/resources/experiments/digits.toml");
        QVERIFY2(read.problems.empty(), messages(read).c_str());
        QVERIFY(read.experiment.validate().empty());
        QCOMPARE(read.experiment.text("run.name"), "digits");
        QCOMPARE(read.experiment.integer("launch.ranks"), std::int64_t(2));
    }
};

QTEST_APPLESS_MAIN(ExperimentTest)
#include "tst_experiment.moc"
