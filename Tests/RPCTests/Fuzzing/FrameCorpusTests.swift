import TestSupport
import Testing

@Suite("What fuzzing found worth keeping, again")
struct FrameCorpusTests {
    @Test("frames of the corpus, in any pieces, are the same frames")
    func frames() throws { try expectSound("frames", FrameDecoderFuzz.finding) }

    @Test("envelopes of the corpus are read by hand as by the library")
    func envelopes() throws { try expectSound("envelopes", EnvelopeFuzz.finding) }

    @Test("programs of the corpus keep the rules of the call machine")
    func calls() throws { try expectSound("calls", CallMachineFuzz.finding) }

    private func expectSound(_ name: String, _ finding: ([UInt8]) -> String?) throws {
        let inputs = try CorpusFolder.inputs(CorpusFolder.path(name, from: #filePath))
        #expect(inputs.count > 20)
        for (file, bytes) in inputs { #expect(finding(bytes) == nil, "\(file)") }
    }
}
