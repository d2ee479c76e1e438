import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("I-07: the rules file is read again while the program runs")
struct RulesFileTests {
    private let folder: TemporaryFolder
    private let log = CapturedLog()
    private let file: RulesFile

    init() throws {
        folder = try TemporaryFolder()
        let path = try folder.write("collections: {a: {}}\n", to: "rules.yaml")
        file = RulesFile(path: path, current: RulesDocument(path: path), logger: log.logger())
    }

    private func write(_ text: String) throws { try folder.write(text, to: "rules.yaml") }

    private func has(_ collection: String) -> Bool {
        file.rules.value.collection(collection) != nil
    }

    @Test("I-07: a change takes effect when two readings are equal, and is logged once")
    func changed() throws {
        #expect(has("a") && !has("b"))
        try write("collections: {b: {}}\n")
        file.files.look()
        #expect(has("a"))
        file.files.look()
        #expect(has("b") && !has("a"))
        file.files.look()
        #expect(log.lines.filter { $0.contains("rules.file.reloaded") }.count == 1)
    }

    @Test("I-07: a file with mistakes changes nothing, and the log has all of them once")
    func invalid() throws {
        try write("collections: {B: {}, c: {needs: all}}\n")
        for _ in 0..<4 { file.files.look() }
        #expect(has("a") && !has("c"))
        let logged = log.lines.filter { $0.contains("rules.file.reload.failed") }
        #expect(logged.count == 1)
        #expect(logged.first?.contains("collections.B") == true)
        #expect(logged.first?.contains("collections.c.needs") == true)
        try write("collections: {c: {needs: account}}\n")
        for _ in 0..<2 { file.files.look() }
        #expect(has("c"))
    }

    @Test("I-07: a file that is being written, or is gone, lifts no rule")
    func torn() throws {
        for text in ["", "collections: {", "collections: {b: {}}\n", ""] {
            try write(text)
            file.files.look()
            #expect(has("a"))
        }
    }
}
