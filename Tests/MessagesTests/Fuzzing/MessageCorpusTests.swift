import TestSupport
import Testing

@Suite("The fuzzing corpus, run as tests")
struct MessageCorpusTests {
    @Test("messages of the corpus are read or rejected within the budget and survive a round trip")
    func corpus() throws {
        let inputs = try CorpusFolder.inputs(CorpusFolder.path("messages", from: #filePath))
        #expect(inputs.count > 50)
        for (name, bytes) in inputs { #expect(MessageFuzz.finding(bytes) == nil, "\(name)") }
    }

    @Test("every golden message passes the checks of the fuzz target")
    func golden() {
        for golden in Golden.all {
            let input = MessageFuzz.choice(of: golden.name) + golden.bytes
            #expect(MessageFuzz.finding(input) == nil, "\(golden)")
        }
    }
}
