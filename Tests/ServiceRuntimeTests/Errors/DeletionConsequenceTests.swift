import ServiceRuntime
import Testing

@Suite("G-19: what a deletion does, in words")
struct DeletionConsequenceTests {
    @Test(
        "every consequence has a sentence in every voice, one for one thing and one for several",
        arguments: DeletionConsequence.allCases, Voice.allCases)
    func sentences(consequence: DeletionConsequence, voice: Voice) {
        for count: UInt32 in [0, 1, 2, 100] {
            let text = consequence.sentence(count: count, in: voice)
            #expect(text.hasSuffix(voice.language == .japanese ? "。" : "."))
            #expect(text.count <= 120 && !text.contains("{{"), "\(text)")
        }
        let isCounted = [.documents, .export, .wait, .secondFactor].contains(consequence)
        #expect(consequence.sentence(count: 31, in: voice).contains("31") == isCounted)
    }

    @Test("one thing is not several")
    func one() {
        #expect(
            DeletionConsequence.documents.sentence(count: 1, in: .english)
                == "Everything that you have saved is deleted: 1 item.")
        #expect(
            DeletionConsequence.documents.sentence(count: 2, in: .english)
                == "Everything that you have saved is deleted: 2 items.")
    }
}
