import TestSupport
import Testing

@Suite("F-01: the fuzzing corpus of passkeys, run as tests")
struct PasskeyCorpusTests {
    private func inputs() throws -> [(name: String, bytes: [UInt8])] {
        try CorpusFolder.inputs(CorpusFolder.path("passkeys", from: #filePath))
    }

    @Test("what a browser sends is refused, or accepted with all that the rule promises")
    func passkeys() throws {
        let inputs = try inputs()
        #expect(inputs.count > 20)
        for (file, bytes) in inputs { #expect(PasskeyFuzz.finding(bytes) == nil, "\(file)") }
    }

    @Test("the fuzzer begins with inputs of all parts that are accepted")
    func accepted() throws {
        let parts = try inputs().filter { PasskeyFuzz.outcome(of: $0.bytes) == .accepted }
            .compactMap { $0.bytes.first.map { $0 % 5 } }
        #expect(Set(parts) == [0, 1, 2, 3, 4])
    }
}
