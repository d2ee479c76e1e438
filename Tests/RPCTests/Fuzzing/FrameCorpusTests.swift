import TestSupport
import Testing

@Suite("The fuzzing corpus, run as tests")
struct FrameCorpusTests {
    @Test("a corpus stream split at any place gives the same frames")
    func frames() throws { try expectSound("frames", FrameDecoderFuzz.finding) }

    @Test("the hand-written reader agrees with libprotobuf-c on the corpus' envelopes")
    func envelopes() throws { try expectSound("envelopes", EnvelopeFuzz.finding) }

    @Test("the corpus' sequences of events follow the rules of the call machine")
    func calls() throws { try expectSound("calls", CallMachineFuzz.finding) }

    private func expectSound(_ name: String, _ finding: ([UInt8]) -> String?) throws {
        let inputs = try CorpusFolder.inputs(CorpusFolder.path(name, from: #filePath))
        #expect(inputs.count > 20)
        for (file, bytes) in inputs { #expect(finding(bytes) == nil, "\(file)") }
    }
}
