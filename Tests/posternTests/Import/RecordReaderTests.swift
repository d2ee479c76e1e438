import TestSupport
import Testing

@testable import postern

@Suite("Files of records")
struct RecordReaderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(
        _ text: String, _ form: RecordReader.Form, from offset: Int64 = 0
    ) throws -> [(text: String, end: Int64)] {
        let reader = try RecordReader(folder.write(text, to: "file"), form: form, from: offset)
        var records: [(text: String, end: Int64)] = []
        while let record = try reader.record() {
            records.append((String(decoding: record.bytes, as: UTF8.self), record.end))
        }
        return records
    }

    @Test("users of an array are found whatever their strings contain, from any position on")
    func array() throws {
        let users = [
            #"{"a":"}{]["}"#, #"{"a":{"b":[1,{"c":"\"}"}]}}"#, "{}", #"{"a":"\\"}"#,
        ]
        let text = "{\n \"users\" : [ " + users.joined(separator: " ,\n\t") + " ]}\n"
        let whole = try read(text, .array)
        #expect(whole.map(\.text) == users)
        for place in users.indices {
            let rest = try read(text, .array, from: whole[place].end)
            #expect(rest.map(\.text) == Array(users[(place + 1)...]))
        }
        #expect(try read(#"{"users":[]}"#, .array).isEmpty)
        #expect(try read(#"[{"a":1}]"#, .array).map(\.text) == [#"{"a":1}"#])
    }

    @Test(
        "an export that is truncated or not an export is an error, not an empty file",
        arguments: [
            "", "{", #"{"users":["#, #"{"users":[{"a":1}"#, #"{"users":[{"a":1},"#,
            #"{"users":[{"a":"#, #"{"users":[{"a":"\"#, #"{"users":[{"a":1} x]"#,
            #"{"accounts":[{"a":1}]}"#, #"{"users":["a"]}"#, "localId,email\n1,[]",
        ])
    func broken(text: String) {
        #expect(throws: ToolError.self) { try read(text, .array) }
    }

    @Test(
        "I-03: a Firebase export that is given as lines is refused with the command that reads it",
        arguments: [
            (#"{"users":[{"localId":"1"}]}"#, true), ("\n{\n  \"users\" : [\n", true),
            (#"{"external_id":"1"}"#, false), (#"{"users":1}"#, false), ("", false), ("{", false),
        ])
    func firebaseAsLines(text: String, isExport: Bool) async throws {
        let path = try folder.write(text, to: "users.json")
        var refusal = ""
        do {
            _ = try await AccountFile(path, nil, from: 0) { _ in 0 }
        } catch let error as ToolError {
            refusal = error.description
        }
        #expect(refusal.contains("`postern import firebase \(path) ") == isExport)
        #expect(refusal.isEmpty == !isExport)
    }

    @Test("a look at the head reads nothing away")
    func head() throws {
        let path = try folder.write("{\"a\":1}\n", to: "lines")
        let reader = try RecordReader(path, form: .lines)
        #expect(try reader.beginsAsFirebaseExport() == false)
        let record = try #require(try reader.record())
        #expect(String(decoding: record.bytes, as: UTF8.self) == #"{"a":1}"#)
    }

    @Test("a user that is too long is rejected alone and takes no memory")
    func longUser() throws {
        let long = #"{"a":""# + String(repeating: "}", count: 3 << 20) + #"\""}"#
        let users = try read(#"{"users":[{},\#(long),{"b":1}]}"#, .array)
        #expect(users.count == 3)
        #expect(users[1].text.utf8.count == RecordReader.recordBytesMax + 1)
        #expect(users[2].text == #"{"b":1}"#)
        let justTooLong = #"{"a":""# + String(repeating: "x", count: 64 * 1_024 - 7) + #""}"#
        #expect(justTooLong.utf8.count == RecordReader.recordBytesMax + 1)
        let firebase = FirebaseUser(hashPrefix: nil, providers: FirebaseUser.providers)
        for text in [users[1].text, try read("[\(justTooLong)]", .array)[0].text] {
            guard case .refused(let refused) = firebase.read(Array(text.utf8)).record else {
                Issue.record("a user of more than 64 KiB was accepted")
                continue
            }
            #expect(refused.field == "no JSON object of 64 KiB at the most")
        }
    }

    @Test("lines are read one by one; empty lines are skipped, and the last needs no line end")
    func lines() throws {
        #expect(try read("{}\n\n  \r\n[1]\nx", .lines).map(\.text) == ["{}", "[1]", "x"])
        #expect(try read("", .lines).isEmpty)
        let whole = try read("a\nb\nc\n", .lines)
        #expect(try read("a\nb\nc\n", .lines, from: whole[0].end).map(\.text) == ["b", "c"])
    }

    @Test("a line that is too long is rejected alone and takes no memory")
    func longLine() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let records = try read("{}\n\(long)\n{}\n", .lines)
        #expect(records.count == 3)
        #expect(records[1].text.utf8.count == RecordReader.recordBytesMax + 1)
        guard case .refused = RecordLine.read(Array(records[1].text.utf8)) else {
            Issue.record("a line of more than 64 KiB was accepted")
            return
        }
    }
}
