// E14: what is removed from texts that are handed on, and what stays.
#include "launcher/debug/redaction.h"
#include "tests/support/processor_time.h"

#include <QtTest>

using launcher::Redaction;

namespace {

Redaction redaction() { return Redaction({"/home/anna", "anna", "gpu7"}, {"correct horse", "short", "https://chat.example/T0/B1"}); }

}  // namespace

class RedactionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E14_secretsAreRemoved_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("left");
        const auto row = [](const char* name, const char* text, const char* left) { QTest::newRow(name) << QByteArray(text) << QByteArray(left); };
        row("E14 TOML", "api_key = \"abc def\" # mine", "api_key = \"[removed]\" # mine");
        row("E14 TOML in single quotes", "judge.password = 'a\"b'", "judge.password = '[removed]'");
        row("E14 JSON", "{\"step\":1,\"HF_TOKEN\":\"abc\",\"loss\":2}", "{\"step\":1,\"HF_TOKEN\":\"[removed]\",\"loss\":2}");
        row("E14 JSON within JSON", "\"message\":\"{\\\"api-key\\\": \\\"abc\\\", \\\"n\\\": 1}\"", "\"message\":\"{\\\"api-key\\\": \\\"[removed]\\\", \\\"n\\\": 1}\"");
        row("E14 bare value", "WANDB_API_KEY=0123abcd next", "WANDB_API_KEY=[removed] next");
        row("E14 YAML", "client_secret: xyz", "client_secret: [removed]");
        row("E14 option", "train --hub-token xyz --steps 3", "train --hub-token [removed] --steps 3");
        row("E14 header", "Authorization: Bearer abcdefghijkl", "Authorization: Bearer [removed]");
        row("E14 header in JSON", "\"authorization\":\"Bearer abcdefghijkl\"", "\"authorization\":\"[removed]\"");
        row("E14 bearer alone", "sent Bearer abcdefghijkl. Failed", "sent Bearer [removed] Failed");
        row("E14 address with a password", "https://anna:pw@example.org/x", "https://[removed]@example.org/x");
        row("E14 address with a token", "git clone https://ghtoken@example.org/x", "git clone https://[removed]@example.org/x");
        row("E14 query", "GET /v1?key=abc&n=2", "GET /v1?key=[removed]&n=2");
        row("E14 Slack", "POST https://hooks.slack.com/services/T0/B0/xyz failed", "POST https://hooks.slack.com/[removed] failed");
        row("E14 Discord", "https://discord.com/api/webhooks/1/abc", "https://discord.com/api/webhooks/[removed]");
        row("E14 Hugging Face", "saw hf_abcdefghijklmnopqrst here", "saw [removed] here");
        row("E14 OpenAI", "sk-proj-abcdefghijklmnop1234", "[removed]");
        row("E14 GitHub", "x ghp_abcdefghijklmnopqrstuvwxyz0123456789", "x [removed]");
        row("E14 Amazon", "AKIAIOSFODNN7EXAMPLE", "[removed]");
        row("E14 JSON web token", "t=eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-DEF", "t=[removed]");
        row("E14 private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabc=\n-----END RSA PRIVATE KEY-----\nb", "a\n[removed]\nb");
        row("E14 private key in one line", "\"key\":\"-----BEGIN PRIVATE KEY-----\\nMIIB\\n-----END PRIVATE KEY-----\",\"n\":1", "\"key\":\"[removed]");
        row("E14 end of a private key", "MIIB\nabc=\n-----END PRIVATE KEY-----\nb", "[removed]\nb");
        row("E14 a private key without an end", "a\n-----BEGIN PRIVATE KEY-----\nMIIB\nabc", "a\n[removed]");
        row("E14 a given secret", "the correct horse ran", "the [removed] ran");
        row("E14 a given address", "POST https://chat.example/T0/B1 failed", "POST [removed] failed");
        row("E14 several", "token=a1 secret=b2", "token=[removed] secret=[removed]");
    }
    void E14_secretsAreRemoved()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, left);
        const Redaction::Result result = redaction().apply(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(result.text), left);
        QVERIFY(result.secrets > 0);
        QCOMPARE(redaction().apply(result.text).text, result.text);  // what is removed stays as it is
    }

    void E14_namesAreReplaced_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("left");
        QTest::newRow("E14 home") << QByteArray("data.folder = \"/home/anna/cats\"") << QByteArray("data.folder = \"~/cats\"");
        QTest::newRow("E14 another home") << QByteArray("/home/annabel/cats") << QByteArray("/home/annabel/cats");
        QTest::newRow("E14 user and host") << QByteArray("anna on gpu7: \"host\":\"gpu7\"") << QByteArray("[user] on [host]: \"host\":\"[host]\"");
        QTest::newRow("E14 parts of words") << QByteArray("savanna, gpu71") << QByteArray("savanna, gpu71");
        QTest::newRow("E14 mail") << QByteArray("by anna.b@example.org.") << QByteArray("by [mail].");
    }
    void E14_namesAreReplaced()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, left);
        const Redaction::Result result = redaction().apply(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(result.text), left);
        QCOMPARE(result.secrets, 0);
        QCOMPARE(result.names > 0, text != left);
    }

    void E14_theRestStays_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"max_tokens = 512", "\"tokenizer\":\"t5\"", "text_tokens_per_second: 12.5", "a step took 12 ms", "password = \"\"", "token: null",
                 "https://example.org/a?b=c", "blocks.0.attn.qkv.weight", "loss=0.123 grad_norm=1e-5", "tok\xc3\xa9n \xe2\x80\x93 x", "short",
                 "torch 2.11.0, nccl 2.28.9, 127.0.0.1:29500", "task-generation-of-images-2026"})
            QTest::newRow((QByteArray("E14 ") + text).constData()) << QByteArray(text);
    }
    void E14_theRestStays()
    {
        QFETCH(QByteArray, text);
        const Redaction::Result result = redaction().apply(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(result.text), text);
        QCOMPARE(result.secrets + result.names, 0);
    }

    /// A log's line may be long, and made to take long. What cannot be checked is removed whole.
    void E14_longLinesAreFast_data()
    {
        QTest::addColumn<QByteArray>("unit");
        for (const char* unit : {"a", "\"", "\\", "token", "=", "api_key=", "--", "x@", "eyJ", "token=\"a", "https://", " ", "secret:secret"})
            QTest::newRow((QByteArray("E14 ") + unit).constData()) << QByteArray(unit);
    }
    void E14_longLinesAreFast()
    {
        QFETCH(QByteArray, unit);
        const QByteArray text = "hf_abcdefghijklmnopqrst " + unit.repeated(256'000 / int(unit.size())) + " hf_abcdefghijklmnopqrst";
        const double before = tests::processorSeconds();
        const std::string left = redaction().apply(text.toStdString()).text;
        QVERIFY2(tests::processorSeconds() - before < 10, qPrintable(QString::number(tests::processorSeconds() - before)));
        QVERIFY(left.find("hf_abc") == std::string::npos);
    }

    void E14_theEnvironmentsSecretsAreKnown()
    {
        qputenv("SOME_SERVICE_TOKEN", "plain words of a token");
        qputenv("SSH_AUTH_TOKEN_FILE", "/run/some/file");
        const Redaction here = Redaction::here({});
        qunsetenv("SOME_SERVICE_TOKEN");
        qunsetenv("SSH_AUTH_TOKEN_FILE");
        QCOMPARE(here.apply("it said: plain words of a token, /run/some/file").text, std::string("it said: [removed], /run/some/file"));
    }

    void E14_bytesThatAreNoTextAreReplaced()
    {
        const std::string left = redaction().apply(std::string("a\xff\0b\ntoken=x1", 14)).text;
        QVERIFY(QString::fromStdString(left).toStdString() == left);
        QVERIFY(left.ends_with("token=[removed]"));
    }
};

QTEST_GUILESS_MAIN(RedactionTest)
#include "tst_redaction.moc"
