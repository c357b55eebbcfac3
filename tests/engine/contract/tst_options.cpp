#include "engine/contract/experiment.h"
#include "engine/contract/options.h"

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

    void everyOptionExplainsItself()
    {
        for (const Option& option : contract::options()) {
            QVERIFY2(option.help.size() > 10 && !option.help.ends_with('.'), option.key.data());
            QVERIFY2(!contract::describeRange(option).empty(), option.key.data());
        }
    }

    void choicesBelongToChoicesOnly()
    {
        for (const Option& option : contract::options())
            QCOMPARE(option.choices.empty(), option.type != OptionType::Choice);
    }

    void conditionsNameAnOptionAndOneOfItsValues()
    {
        for (const Option& option : contract::options()) {
            if (option.appliesTo.empty())
                continue;
            const auto equals = option.appliesTo.find('=');
            QVERIFY2(equals != std::string_view::npos, option.key.data());
            const std::string values(option.appliesTo.substr(equals + 1));
            for (const QString& value : QString::fromStdString(values).split('|')) {
                contract::Experiment experiment;
                QVERIFY2(!experiment.setText(option.appliesTo.substr(0, equals), value.toStdString()), option.key.data());
                QVERIFY(contract::appliesWith(option, value.toStdString()));
            }
            QVERIFY(!contract::appliesWith(option, values + "|"));
            QVERIFY(!contract::appliesWith(option, ""));
        }
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
        QTest::newRow("nothing near") << QByteArray("colour.of.the.sky.at.night") << QByteArray("");
    }
    void nearestKeyIsWhatAPersonMeant()
    {
        QFETCH(QByteArray, typed);
        QTEST(QByteArray::fromStdString(std::string(contract::nearestKey(typed.toStdString()))), "meant");
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
