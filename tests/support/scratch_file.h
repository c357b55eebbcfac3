// A file for each test function, in a temporary folder.
#pragma once
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <string>

namespace tests {

/// Use as a member of a test class. The file does not exist until the test writes it.
class ScratchFile {
public:
    std::filesystem::path path() const
    {
        return (m_folder.path() + "/" + QTest::currentTestFunction() + ".jsonl").toStdString();
    }
    void append(const std::string& text) const
    {
        std::ofstream(path(), std::ios::binary | std::ios::app) << text;
    }

private:
    QTemporaryDir m_folder;
};

}  // namespace tests
