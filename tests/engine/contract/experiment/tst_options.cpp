#include "engine/contract/experiment/experiment.h"
#include "engine/contract/experiment/options.h"

#include <QtTest>

#include <algorithm>
#include <set>

using contract::Option;
using contract::OptionType;

namespace {

std::string firstLetterDropped(std::string_view key) { return std::string(key.substr(1)); }

bool hasTypeOf(const contract::OptionValue& value, OptionType type)
{
    switch (type) {
    case OptionType::Boolean:
        return std::holds_alternative<bool>(value);
    case OptionType::Integer:
        return std::holds_alternative<std::int64_t>(value);
    case OptionType::Real:
        return std::holds_alternative<double>(value);
    default:
        return std::holds_alternative<std::string>(value);
    }
}

}  // namespace

class OptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysAreUniqueAndGrouped()
    {
        std::set<std::string_view> keys;
        std::set<std::string_view> closedGroups;
        std::string_view group;
        for (const Option& option : contract::options()) {
            QVERIFY2(keys.insert(option.key).second, option.key.data());
            if (option.group() == group)
                continue;
            closedGroups.insert(group);
            group = option.group();
            QVERIFY2(!closedGroups.contains(group), option.key.data());
        }
        QVERIFY(keys.size() > 30);
    }

    void keysAreGroupDotNameInLowerCase()
    {
        for (const Option& option : contract::options()) {
            QCOMPARE(std::string(option.group()) + "." + std::string(option.name()), std::string(option.key));
            QVERIFY2(std::ranges::all_of(option.key,
                         [](char letter) {
                             return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')
                                 || letter == '_' || letter == '.';
                         }),
                option.key.data());
        }
    }

    void everyDefaultIsAcceptedAsAValue()
    {
        for (const Option& option : contract::options()) {
            QVERIFY2(hasTypeOf(option.defaultValue, option.type), option.key.data());
            contract::Experiment experiment;
            QVERIFY2(!experiment.set(option.key, option.defaultValue), option.key.data());
            QVERIFY2(!experiment.isChanged(option.key), option.key.data());
        }
    }

    void defect51_choiceLabelsAreOfChoicesAndDiffer()
    {
        for (const Option& option : contract::options()) {
            std::set<std::string> labels;
            for (const std::string_view choice : option.choices) {
                const std::string label = contract::choiceLabel(option, choice);
                QVERIFY2(labels.insert(label).second && label.find('_') == std::string::npos, option.key.data());
            }
            for (const contract::ChoiceLabel& entry : option.choiceLabels)
                QVERIFY2(std::ranges::find(option.choices, entry.choice) != option.choices.end(), option.key.data());
        }
        QCOMPARE(contract::choiceLabel(*contract::findOption("optim.kind"), "muon"), std::string("Muon"));
        QCOMPARE(contract::choiceLabel(*contract::findOption("run.device"), "cuda"), std::string("GPU (CUDA)"));
    }

    void everyOptionExplainsItself()
    {
        for (const Option& option : contract::options()) {
            QVERIFY2(option.help.size() > 10 && !option.help.ends_with('.'), option.key.data());
            QVERIFY2(!contract::describeRange(option).empty(), option.key.data());
        }
    }

    void optionsHaveLabelsForPeople_data()
    {
        QTest::addColumn<QString>("group");
        std::set<std::string> groups;
        for (const Option& option : contract::options())
            groups.insert(std::string(option.group()));
        for (const std::string& group : groups)
            QTest::newRow(("defect-51: " + group).c_str()) << QString::fromStdString(group);
    }
    void optionsHaveLabelsForPeople()
    {
        QFETCH(QString, group);
        QVERIFY(!contract::groupLabel(group.toStdString()).empty());
        std::set<std::string_view> labels;
        for (const Option& option : contract::options()) {
            QVERIFY2(labels.insert(option.label).second, option.key.data());  // a help text may refer to any of them
            QVERIFY2(!option.label.empty() && option.label.size() <= 30 && option.label.find('_') == std::string_view::npos,
                option.key.data());
        }
    }

    void whatEnablesAnOptionStandsBeforeIt_data()
    {
        QTest::addColumn<QString>("key");
        for (const Option& option : contract::options()) {
            if (!option.appliesTo.empty())
                QTest::newRow(("defect-51: " + std::string(option.key)).c_str()) << QString::fromUtf8(option.key.data(), qsizetype(option.key.size()));
        }
    }
    void whatEnablesAnOptionStandsBeforeIt()
    {
        QFETCH(QString, key);
        const Option* const option = contract::findOption(key.toStdString());
        for (const std::string_view condition : contract::conditionsOf(*option))
            QVERIFY(contract::findOption(condition.substr(0, condition.find('='))) < option);
    }

    void choicesBelongToChoicesOnly()
    {
        for (const Option& option : contract::options())
            QCOMPARE(option.choices.empty(), option.type != OptionType::Choice);
    }

    void conditionsNameAnOptionAndOneOfItsValues()
    {
        for (const Option& option : contract::options()) {
            for (const std::string_view condition : contract::conditionsOf(option)) {
                const auto equals = condition.find('=');
                QVERIFY2(equals != std::string_view::npos, option.key.data());
                const std::string values(condition.substr(equals + 1));
                for (const QString& value : QString::fromStdString(values).split('|')) {
                    contract::Experiment experiment;
                    QVERIFY2(!experiment.setText(condition.substr(0, equals), value.toStdString()), option.key.data());
                    QVERIFY(contract::isMet(condition, value.toStdString()));
                }
                QVERIFY(!contract::isMet(condition, values + "|"));
                QVERIFY(!contract::isMet(condition, ""));
            }
        }
    }

    void someOptionsNeedSeveralOthers()
    {
        const auto conditions = contract::conditionsOf(*contract::findOption("reward.functions"));
        QCOMPARE(conditions.size(), std::size_t {2});
        QVERIFY(conditions[0].starts_with("algorithm.name=flow_grpo|") && conditions[1] == "model.name=diffusers|sd3");
        QVERIFY(contract::conditionsOf(*contract::findOption("run.name")).empty());
    }

    void textOfEveryDefaultIsAcceptedBack()
    {
        for (const Option& option : contract::options()) {
            contract::Experiment experiment;
            QVERIFY2(!experiment.setText(option.key, contract::toText(option.defaultValue)), option.key.data());
            QVERIFY(experiment == contract::Experiment());
        }
    }

    void everyKeyIsFoundAgainAfterASlip()
    {
        for (const Option& option : contract::options())
            QCOMPARE(contract::nearestKey(firstLetterDropped(option.key)), option.key);
    }

    void nearestKeyIsWhatAPersonMeant_data()
    {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QByteArray>("meant");
        QTest::newRow("letter doubled") << QByteArray("optim.lrr") << QByteArray("optim.lr");
        QTest::newRow("no group") << QByteArray("weight_decay") << QByteArray("optim.weight_decay");
        QTest::newRow("another group") << QByteArray("train.total_steps") << QByteArray("run.total_steps");
        QTest::newRow("letters swapped") << QByteArray("lanuch.ranks") << QByteArray("launch.ranks");
        QTest::newRow("as diffusers calls it") << QByteArray("learning_rate") << QByteArray("optim.lr");
        QTest::newRow("as kohya_ss calls it, in a group") << QByteArray("lora.network_dim") << QByteArray("lora.rank");
        QTest::newRow("a name of several options") << QByteArray("train.steps") << QByteArray("run.total_steps");
        QTest::newRow("that name in a misspelled group") << QByteArray("sampel.steps") << QByteArray("sample.steps");
        QTest::newRow("nothing near") << QByteArray("colour.of.the.sky.at.night") << QByteArray("");
    }
    void nearestKeyIsWhatAPersonMeant()
    {
        QFETCH(QByteArray, typed);
        QTEST(QByteArray::fromStdString(std::string(contract::nearestKey(typed.toStdString()))), "meant");
    }

    void whatOtherProgramsCallAnOptionLeadsToOne()
    {
        for (const char* const name : {"max_train_steps", "train_batch_size", "gradient_accumulation_steps", "mixed_precision", "lr_scheduler",
                 "pretrained_model_name_or_path", "instance_data_dir", "checkpointing_steps", "validation_prompt", "nproc_per_node"})
            QVERIFY2(contract::findOption(contract::nearestKey(name)), name);
    }

    void anUnknownKeyIsNotFound()
    {
        QVERIFY(!contract::findOption("optim.lrr"));
        QVERIFY(!contract::findOption(""));
        QVERIFY(!contract::findOption("optim"));
    }
};

QTEST_APPLESS_MAIN(OptionsTest)
#include "tst_options.moc"
