import Foundation
import TestSupport
import Testing

@testable import postern

@Suite("postern up: the warnings of its programs")
struct ChildWarningsTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try folder.write("", to: "program.log")
    }

    private func write(_ level: String, _ event: String, _ more: String = "") throws {
        try append(#"{"level":"\#(level)","event":"\#(event)","message":"m of it"\#(more)}"# + "\n")
    }

    private func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    @Test("a warning has its message, names and numbers, and never the text of an error")
    func fields() throws {
        var warnings = ChildWarnings(path)
        try write(
            "warning", "identity.phone_test_numbers.on",
            #","setting":"phone-test-numbers","count":2,"detail":"Canary7Horse","account":"acc_1""#)
        let lines = warnings.lines(at: 0)
        #expect(lines == ["m of it (setting phone-test-numbers, count 2)"])
    }

    @Test(
        "levels and events",
        arguments: [
            ("warning", "store.restored", true), ("error", "notification.message.dead", true),
            ("info", "process.ready", false), ("debug", "store.restored", false),
            ("warning", "rpc.circuit.open", false), ("error", "process.start.failed", false),
            ("warning", "store.server.awaited", false), ("error", "clock.far_ahead", false),
        ])
    func printed(level: String, event: String, isPrinted: Bool) throws {
        var warnings = ChildWarnings(path)
        try write(level, event)
        let lines = warnings.lines(at: 0)
        #expect(lines.count == (isPrinted ? 1 : 0))
    }

    @Test("an event is printed again after ten minutes, however often it is logged")
    func again() throws {
        var warnings = ChildWarnings(path)
        var counts: [Int] = []
        for seconds in [0.0, 1, 599, 600, 601] {
            for _ in 0..<3 { try write("warning", "store.restored") }
            counts.append(warnings.lines(at: seconds).count)
        }
        #expect(counts == [1, 0, 0, 1, 0])
    }

    @Test("it begins where the log ends, waits for whole lines, and follows a log that is rotated")
    func position() throws {
        try write("warning", "store.created")
        var warnings = ChildWarnings(path)
        let none = warnings.lines(at: 0)
        try append(#"{"level":"warning","event":"store.restored","#)
        let part = warnings.lines(at: 1)
        try append(#""message":"whole"}"# + "\nno JSON\n")
        let whole = warnings.lines(at: 2)
        #expect(none == [] && part == [] && whole == ["whole"])
        try folder.write("", to: "program.log")
        try write("warning", "store.file.exposed")
        let rotated = warnings.lines(at: 3)
        #expect(rotated == ["m of it"])
        let missing = ChildWarnings(folder.file("missing"))
        var later = missing
        let nothing = later.lines(at: 4)
        #expect(nothing == [])
    }

    @Test("what a start waits for: the log's own words, else its last message")
    func waiting() throws {
        var log: String { ChildLog(whole: path).waiting }
        #expect(log == "it has logged nothing; see \(path)")
        try write("info", "store.migrated")
        #expect(log == "its last message: m of it; see \(path)")
        try write("info", "process.waiting", #","detail":"waits for gateway""#)
        #expect(log == "waits for gateway; see \(path)")
    }
}
