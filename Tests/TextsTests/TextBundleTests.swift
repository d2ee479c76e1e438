import Foundation
import TestSupport
import Testing

@testable import Texts

@Suite("The bundle of texts is up to date with their files")
struct TextBundleTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Texts")

    @Test("Sources/Texts/bundle.sh writes the committed file, byte for byte")
    func upToDate() throws {
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("postern-texts-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: output) }
        let script = Self.folder.appendingPathComponent("bundle.sh").path
        let run = try SystemCommand("bash", [script, output.path], withErrors: true)
        try #require(run.exitCode == 0, "\(run.said)")
        let committed = Self.folder.appendingPathComponent("Generated/TextBundle.swift")
        #expect(
            try Data(contentsOf: output) == Data(contentsOf: committed),
            "run Sources/Texts/bundle.sh and commit")
    }

    @Test("every file is read as it is in its folder")
    func content() throws {
        #expect(Texts.paths.count > 100)
        for path in Texts.paths {
            let file = Self.folder.appendingPathComponent(path)
            #expect(try Data(contentsOf: file) == Data((Texts.file(path) ?? "").utf8), "\(path)")
        }
    }

    @Test("the lines of a file are found by their keys")
    func lines() {
        let lines = Texts.lines("mail/words.fr.txt")
        #expect(lines["date/1"] == "1er {{month}} {{year}}")
        #expect(lines["moment"] == "{{date}} à {{time}} (UTC)")
        #expect(Texts.lines("mail/words.tlh.txt").isEmpty)
    }

    @Test("there is no text of an unknown name")
    func unknown() {
        #expect(Texts.file("mail/verify-email.tlh.mail") == nil)
        #expect(Texts.file("") == nil)
    }
}
